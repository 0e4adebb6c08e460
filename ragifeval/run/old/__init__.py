"""What judge and build still use until they are on the new spine."""
