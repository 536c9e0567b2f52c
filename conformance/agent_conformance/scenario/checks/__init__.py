"""What is wrong or doubtful in a scenario whose types are right."""
