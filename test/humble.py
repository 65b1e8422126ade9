"""What rclpy of ROS 2 Humble (3.3) has not, of what newer ones have; and a node started as if it were not there.

``python test/humble.py microphone --ros-args ...`` starts a node so. Made by comparing the sources of rclpy 3.3.15 with
those of 7.1.6 (Jazzy) and 9.1.2 (Kilted).
"""

from __future__ import annotations

import importlib
import sys

MODULES = (
    "rclpy.clock_type",
    "rclpy.endpoint_info",
    "rclpy.event_handler",
    "rclpy.experimental",
    "rclpy.logging_service",
    "rclpy.parameter_client",
    "rclpy.parameter_event_handler",
    "rclpy.service_introspection",
    "rclpy.subscription_content_filter_options",
    "rclpy.type_description_service",
    "rclpy.type_hash",
)
# By class, with the module that it is in.
NAMES = {
    "rclpy.client.Client": ("configure_introspection", "service_name"),
    "rclpy.executors.Executor": ("create_future",),
    "rclpy.node.Node": (
        "add_post_set_parameters_callback",
        "add_pre_set_parameters_callback",
        "count_clients",
        "count_services",
        "get_fully_qualified_node_names",
        "list_parameters",
        "remove_post_set_parameters_callback",
        "remove_pre_set_parameters_callback",
        "wait_for_node",
    ),
    "rclpy.service.Service": ("configure_introspection", "service_name"),
    "rclpy.subscription.Subscription": (
        "get_content_filter",
        "get_publisher_count",
        "is_cft_enabled",
        "set_content_filter",
    ),
}


def hide() -> None:
    """Take from the rclpy of this process what Humble's has not."""
    importlib.import_module("rclpy.lifecycle")
    for path, names in NAMES.items():
        module, _, kind = path.rpartition(".")
        for name in names:
            if name in vars(getattr(importlib.import_module(module), kind)):
                delattr(getattr(importlib.import_module(module), kind), name)
    for name in MODULES:
        sys.modules[name] = None  # type: ignore[assignment]


if __name__ == "__main__":
    hide()
    from kame_ros.nodes.process import main

    main(sys.argv[1], sys.argv[2:])
