"""Spins one node until it is told to stop."""

from __future__ import annotations

import contextlib
import gc
import sys
from collections.abc import Callable

import rclpy
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.lifecycle import TransitionCallbackReturn
from rclpy.signals import SignalHandlerOptions

from kame_ros.nodes.base import KameNode
from kame_ros.nodes.parameter import ParameterError
from kame_ros.nodes.process import BAD_PARAMETER, Stopped, StopSignal

# How often the stop flag is looked at; a signal ends the wait of the executor early anyway.
_LOOK_S = 0.25


def spin(make_node: Callable[[], KameNode], stop: StopSignal, arguments: list[str] | None = None) -> int:
    """Make the node, let it start itself if ``autostart`` says so, and spin it; return the exit code."""
    try:
        rclpy.init(args=arguments, signal_handler_options=SignalHandlerOptions.NO)
    except Exception as error:  # a bad --ros-args or an unreadable parameter file: rclpy raises several kinds
        sys.stderr.write(f"{' '.join(str(error).split())}\n")
        return BAD_PARAMETER
    try:
        try:
            node = make_node()
        except ParameterError as error:
            sys.stderr.write(f"{error}\n")
            return BAD_PARAMETER
        _spin(node, stop)
    finally:
        rclpy.try_shutdown()
    return 0


def _spin(node: KameNode, stop: StopSignal) -> None:
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    try:
        if node.values["autostart"] and not stop.received:
            configured = TransitionCallbackReturn.FAILURE
            # The node takes most of them itself; rclpy's own code around its steps is loading too.
            with contextlib.suppress(Stopped), stop.loading():
                configured = node.trigger_configure()
            if configured is TransitionCallbackReturn.SUCCESS and not stop.received:
                node.trigger_activate()
        # What is loaded stays: the collector need not look through it again while a frame waits.
        gc.freeze()
        while not stop.received:
            try:
                executor.spin_once(timeout_sec=_LOOK_S)
            except ExternalShutdownException:
                break
            except Exception as fault:  # one broken callback must not end the node
                node.report_fault("callback", fault)
    finally:
        # The workers first, so that nobody publishes on a node that is gone.
        node.stop()
        executor.remove_node(node)
        node.destroy_node()
        # Left to the garbage collector, it would be destroyed after ROS itself, with a traceback.
        executor.shutdown()
        # What was kept from the collector goes now: DDS gives its shared memory back only when the node is gone.
        del node
        gc.unfreeze()
        gc.collect()
