"""What tests and measuring programs share: services that answer by script, hostile input."""
