output "url" {
  description = "URL of the endpoint, once host_name points to the load balancer; path /mcp unless GATEWAY_PATH says otherwise."
  value       = "https://${var.host_name}${lookup(var.environment, "GATEWAY_PATH", "/mcp")}"
}

output "balancer" {
  description = "DNS name and hosted zone of the load balancer, for an alias record of host_name."
  value = {
    dns_name = aws_lb.this.dns_name
    zone_id  = aws_lb.this.zone_id
  }
}

output "reader_role_arn" {
  description = "ARN of the role with which the gateway reads the bucket."
  value       = aws_iam_role.reader.arn
}

output "task_security_group_id" {
  description = "Security group of the tasks, for rules of VPC endpoints."
  value       = aws_security_group.tasks.id
}

output "log_group_name" {
  description = "Log group of the gateway."
  value       = aws_cloudwatch_log_group.this.name
}

output "alarm_arns" {
  description = "Alarms, by what they watch."
  value = {
    gateway_5xx     = aws_cloudwatch_metric_alarm.gateway_5xx.arn
    balancer_5xx    = aws_cloudwatch_metric_alarm.balancer_5xx.arn
    unhealthy_hosts = aws_cloudwatch_metric_alarm.unhealthy_hosts.arn
    latency_p95     = aws_cloudwatch_metric_alarm.latency_p95.arn
    running_tasks   = aws_cloudwatch_metric_alarm.running_tasks.arn
  }
}
