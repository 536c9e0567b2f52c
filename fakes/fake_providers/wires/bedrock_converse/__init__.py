"""Amazon Bedrock's `converse` and `converse-stream`. Knows the service model of its own, and no SDK."""
