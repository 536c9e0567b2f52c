"""Running a case: playing the model's script, driving the agent, recording what happens."""
