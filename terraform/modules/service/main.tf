locals {
  port = 8000
  environment = merge(var.environment, {
    GATEWAY_BUCKET     = var.bucket.name
    GATEWAY_PREFIX     = var.bucket.prefix
    GATEWAY_REGION     = data.aws_region.current.id
    GATEWAY_PUBLIC_URL = "https://${var.host_name}"
    GATEWAY_HOST       = "0.0.0.0"
    GATEWAY_PORT       = tostring(local.port)
  })
  # ECS ignores the HEALTHCHECK of an image. Exit code 1 unless the process answers; standard library only.
  is_alive = "import http.client, sys; c = http.client.HTTPConnection('127.0.0.1', ${local.port}, timeout=3); c.request('GET', '/livez'); sys.exit(c.getresponse().status != 200)"
}

data "aws_region" "current" {}

data "aws_caller_identity" "current" {}

data "aws_partition" "current" {}

resource "aws_ecs_cluster" "this" {
  name = var.name
  tags = var.tags

  # The alarm on running tasks reads it.
  setting {
    name  = "containerInsights"
    value = "enabled"
  }
}

resource "aws_cloudwatch_log_group" "this" {
  #checkov:skip=CKV_AWS_158:Logs are encrypted with a key of one's own when log_kms_key_arn is given.
  name              = "/ecs/${var.name}"
  retention_in_days = var.log_retention_days
  kms_key_id        = var.log_kms_key_arn == "" ? null : var.log_kms_key_arn
  tags              = var.tags
}

resource "aws_ecs_task_definition" "this" {
  family                   = var.name
  requires_compatibilities = ["FARGATE"]
  network_mode             = "awsvpc"
  cpu                      = var.task.cpu
  memory                   = var.task.memory_mib
  execution_role_arn       = aws_iam_role.execution.arn
  task_role_arn            = aws_iam_role.reader.arn
  tags                     = var.tags

  runtime_platform {
    operating_system_family = "LINUX"
    cpu_architecture        = var.architecture
  }

  # Fargate has no tmpfs; an empty volume takes the rights of the image's VOLUME /tmp.
  volume {
    name = "tmp"
  }

  container_definitions = jsonencode([{
    name                   = "gateway"
    image                  = var.image
    essential              = true
    user                   = "10001:10001"
    readonlyRootFilesystem = true
    privileged             = false
    stopTimeout            = var.task.stop_after_s
    portMappings           = [{ containerPort = local.port, hostPort = local.port, protocol = "tcp" }]
    mountPoints            = [{ sourceVolume = "tmp", containerPath = "/tmp", readOnly = false }]
    linuxParameters        = { initProcessEnabled = true, capabilities = { drop = ["ALL"] } }
    environment            = [for name in sort(keys(local.environment)) : { name = name, value = local.environment[name] }]
    secrets                = [for name in sort(keys(var.secrets)) : { name = name, valueFrom = var.secrets[name] }]
    healthCheck = {
      command     = ["CMD", "python", "-c", local.is_alive]
      interval    = 10
      timeout     = 5
      retries     = 3
      startPeriod = 20
    }
    logConfiguration = {
      logDriver = "awslogs"
      options = {
        awslogs-group         = aws_cloudwatch_log_group.this.name
        awslogs-region        = data.aws_region.current.id
        awslogs-stream-prefix = "gateway"
        # A log that does not keep up must not stop requests.
        mode            = "non-blocking"
        max-buffer-size = "4m"
      }
    }
  }])
}

resource "aws_ecs_service" "this" {
  # Tasks register with the target group, which must have a listener by then; and they start with the role's rights.
  depends_on = [aws_lb_listener.https, aws_iam_role_policy.execution, aws_iam_role_policy.reader]

  name                              = var.name
  cluster                           = aws_ecs_cluster.this.id
  task_definition                   = aws_ecs_task_definition.this.arn
  launch_type                       = "FARGATE"
  platform_version                  = "LATEST"
  desired_count                     = var.scaling.min_tasks
  health_check_grace_period_seconds = var.task.health_grace_s
  enable_execute_command            = false
  propagate_tags                    = "SERVICE"
  tags                              = var.tags

  deployment_minimum_healthy_percent = 100
  deployment_maximum_percent         = 200

  # A version that does not become healthy is taken back.
  deployment_circuit_breaker {
    enable   = true
    rollback = true
  }

  network_configuration {
    subnets          = var.task_subnet_ids
    security_groups  = [aws_security_group.tasks.id]
    assign_public_ip = false
  }

  load_balancer {
    target_group_arn = aws_lb_target_group.this.arn
    container_name   = "gateway"
    container_port   = local.port
  }

  lifecycle {
    ignore_changes = [desired_count] # autoscaling moves it
  }
}
