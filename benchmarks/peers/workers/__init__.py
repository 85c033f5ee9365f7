"""What runs in other interpreters. These files import nothing of this library, and their packages only when called."""
