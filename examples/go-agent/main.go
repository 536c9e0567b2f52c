package main

import (
	"flag"
	"log"
)

func main() {
	conformance := flag.Bool("conformance", false, "speak agent conformance's protocol on standard input and output")
	flag.Parse()
	if *conformance {
		if err := Conformance(); err != nil {
			log.Fatal(err)
		}
		return
	}
	log.Fatal("here the agent would do what it does")
}
