"""How the service runs, read from the files."""

import re

import pytest

from tests.terraform.sources import resources, text

SERVICE = "modules/service"


def test_the_task_runs_confined() -> None:
    """[ours] As the image is meant to: no writable root, no capabilities, the image's own user."""
    definition = resources(SERVICE, "aws_ecs_task_definition")["this"]["container_definitions"]
    for line in ("readonlyRootFilesystem = true", "privileged = false", 'user = "10001:10001"'):
        assert line in definition
    assert re.search(r'capabilities\s*=\s*\{\s*drop\s*=\s*\["ALL"\]', definition)
    assert resources(SERVICE, "aws_ecs_service")["this"]["enable_execute_command"] is False


def test_tasks_have_no_public_address_and_take_requests_from_the_load_balancer_only() -> None:
    """[ours]"""
    assert resources(SERVICE, "aws_ecs_service")["this"]["network_configuration"][0]["assign_public_ip"] is False
    rules = resources(SERVICE, "aws_vpc_security_group_ingress_rule")
    assert {name: (rule["security_group_id"], rule["from_port"], rule["to_port"]) for name, rule in rules.items()} == {
        "clients": ("${aws_security_group.balancer.id}", 443, 443),
        "from_balancer": ("${aws_security_group.tasks.id}", "${local.port}", "${local.port}"),
    }
    assert rules["from_balancer"]["referenced_security_group_id"] == "${aws_security_group.balancer.id}"


def test_the_one_listener_speaks_tls() -> None:
    """[ours] No port 80: a redirect would come after the token went out in clear."""
    (listener,) = resources(SERVICE, "aws_lb_listener").values()
    assert (listener["port"], listener["protocol"]) == (443, "HTTPS")
    assert listener["ssl_policy"] == "${var.tls_policy}"


def test_readiness_gates_requests_and_liveness_gates_the_process() -> None:
    """[ours]"""
    assert '"GET", "/livez"' in text(SERVICE).replace("'", '"')
    health = resources(SERVICE, "aws_lb_target_group")["this"]["health_check"][0]
    assert health["path"] == "${var.task.health_endpoint}"
    assert health["interval"] * health["unhealthy_threshold"] >= 300


def test_it_scales_by_cpu_and_by_requests() -> None:
    """[ours]"""
    policies = resources(SERVICE, "aws_appautoscaling_policy").values()
    metrics = [
        tracking["predefined_metric_specification"][0]["predefined_metric_type"]
        for policy in policies
        for tracking in policy["target_tracking_scaling_policy_configuration"]
    ]
    assert sorted(metrics) == ["ALBRequestCountPerTarget", "ECSServiceAverageCPUUtilization"]


@pytest.mark.parametrize(
    ("alarm", "metric"),
    [
        ("gateway_5xx", "HTTPCode_Target_5XX_Count"),
        ("balancer_5xx", "HTTPCode_ELB_5XX_Count"),
        ("unhealthy_hosts", "UnHealthyHostCount"),
        ("latency_p95", "TargetResponseTime"),
        ("running_tasks", "RunningTaskCount"),
    ],
)
def test_an_alarm_watches_and_tells(alarm: str, metric: str) -> None:
    """[ours] Silence is good, but of the running tasks, of which it means that nothing is known."""
    found = resources(SERVICE, "aws_cloudwatch_metric_alarm")[alarm]
    assert found["metric_name"] == metric
    assert found["treat_missing_data"] == ("breaching" if alarm == "running_tasks" else "notBreaching")
    assert found["alarm_actions"] == found["ok_actions"] == "${var.alarm_topic_arns}"


def test_running_tasks_are_counted() -> None:
    """[AWS] RunningTaskCount comes with Container Insights only."""
    assert resources(SERVICE, "aws_ecs_cluster")["this"]["setting"] == [
        {"name": "containerInsights", "value": "enabled"}
    ]
