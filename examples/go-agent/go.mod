module example.org/go-agent

go 1.19
