"""Cases out of cassettes: what the model said in a recorded session is its script, and the laws judge the agent."""
