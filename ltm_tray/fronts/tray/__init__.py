"""The tray icon: a menu as plain values, and the toolkit that shows it."""
