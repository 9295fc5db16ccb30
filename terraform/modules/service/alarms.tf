# The load balancer sends no data for a minute without errors, so silence is good there. Of the running tasks silence
# means that nothing is known, which is an alarm too.

locals {
  balancer = { LoadBalancer = aws_lb.this.arn_suffix }
  targets  = { LoadBalancer = aws_lb.this.arn_suffix, TargetGroup = aws_lb_target_group.this.arn_suffix }
  tasks    = { ClusterName = aws_ecs_cluster.this.name, ServiceName = aws_ecs_service.this.name }
}

resource "aws_cloudwatch_metric_alarm" "gateway_5xx" {
  alarm_name          = "${var.name}-gateway-5xx"
  alarm_description   = "The gateway answers with 5xx: look at its log, then at /readyz."
  namespace           = "AWS/ApplicationELB"
  metric_name         = "HTTPCode_Target_5XX_Count"
  dimensions          = local.targets
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  threshold           = var.alarms.errors_5xx
  treat_missing_data  = "notBreaching"
  alarm_actions       = var.alarm_topic_arns
  ok_actions          = var.alarm_topic_arns
  tags                = var.tags
}

resource "aws_cloudwatch_metric_alarm" "balancer_5xx" {
  alarm_name          = "${var.name}-balancer-5xx"
  alarm_description   = "The load balancer answers with 5xx itself: tasks are gone, too slow, or close connections first."
  namespace           = "AWS/ApplicationELB"
  metric_name         = "HTTPCode_ELB_5XX_Count"
  dimensions          = local.balancer
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  threshold           = var.alarms.errors_5xx
  treat_missing_data  = "notBreaching"
  alarm_actions       = var.alarm_topic_arns
  ok_actions          = var.alarm_topic_arns
  tags                = var.tags
}

resource "aws_cloudwatch_metric_alarm" "unhealthy_hosts" {
  alarm_name          = "${var.name}-unhealthy-hosts"
  alarm_description   = "Tasks fail the health check: /readyz says why, usually that the bucket does not answer."
  namespace           = "AWS/ApplicationELB"
  metric_name         = "UnHealthyHostCount"
  dimensions          = local.targets
  statistic           = "Maximum"
  period              = 60
  evaluation_periods  = 3
  comparison_operator = "GreaterThanOrEqualToThreshold"
  threshold           = var.alarms.unhealthy_hosts
  treat_missing_data  = "notBreaching"
  alarm_actions       = var.alarm_topic_arns
  ok_actions          = var.alarm_topic_arns
  tags                = var.tags
}

resource "aws_cloudwatch_metric_alarm" "latency_p95" {
  alarm_name          = "${var.name}-latency-p95"
  alarm_description   = "Answers begin late: the bucket is slow, or tasks are too few or too small."
  namespace           = "AWS/ApplicationELB"
  metric_name         = "TargetResponseTime"
  dimensions          = local.targets
  extended_statistic  = "p95"
  period              = 60
  evaluation_periods  = 5
  comparison_operator = "GreaterThanThreshold"
  threshold           = var.alarms.latency_p95_s
  treat_missing_data  = "notBreaching"
  # A percentile of a handful of requests says nothing.
  evaluate_low_sample_count_percentiles = "ignore"
  alarm_actions                         = var.alarm_topic_arns
  ok_actions                            = var.alarm_topic_arns
  tags                                  = var.tags
}

resource "aws_cloudwatch_metric_alarm" "running_tasks" {
  alarm_name          = "${var.name}-running-tasks"
  alarm_description   = "Fewer tasks run than should: look at the events of the service."
  namespace           = "ECS/ContainerInsights"
  metric_name         = "RunningTaskCount"
  dimensions          = local.tasks
  statistic           = "Minimum"
  period              = 60
  evaluation_periods  = 5
  comparison_operator = "LessThanThreshold"
  threshold           = var.scaling.min_tasks
  treat_missing_data  = "breaching"
  alarm_actions       = var.alarm_topic_arns
  ok_actions          = var.alarm_topic_arns
  tags                = var.tags
}
