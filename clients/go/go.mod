module agentconformance

go 1.19
