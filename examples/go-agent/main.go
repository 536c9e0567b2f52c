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
	log.Fatal("a real agent would start here; run it with --conformance")
}
