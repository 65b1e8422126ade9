"""The four ROS nodes and what they share."""
