resource "aws_lb" "this" {
  #checkov:skip=CKV_AWS_91:Access logs are written when access_log_bucket is given.
  #checkov:skip=CKV_AWS_150:Protected unless deletion_protection is switched off, to take everything down.
  #checkov:skip=CKV2_AWS_28:A web ACL is attached when waf_acl_arn is given.
  #checkov:skip=CKV2_AWS_76:Nothing here is Java; which rules a web ACL has is up to whoever gives one.
  #checkov:skip=CKV2_AWS_20:Port 80 is not open at all: a redirect would come after the token went out in clear.
  name                       = var.name
  load_balancer_type         = "application"
  internal                   = var.is_internal
  subnets                    = var.balancer_subnet_ids
  security_groups            = [aws_security_group.balancer.id]
  idle_timeout               = var.idle_timeout_s
  drop_invalid_header_fields = true
  desync_mitigation_mode     = "strictest"
  enable_deletion_protection = var.deletion_protection
  tags                       = var.tags

  dynamic "access_logs" {
    for_each = var.access_log_bucket == "" ? [] : [var.access_log_bucket]

    content {
      bucket  = access_logs.value
      prefix  = var.name
      enabled = true
    }
  }
}

resource "aws_lb_target_group" "this" {
  #checkov:skip=CKV_AWS_378:TLS ends at the load balancer; tasks take connections from it alone, inside the VPC.
  name_prefix          = "${substr(var.name, 0, 5)}-" # a successor cannot have the same name, and 6 characters are all
  vpc_id               = var.vpc_id
  target_type          = "ip"
  port                 = local.port
  protocol             = "HTTP"
  deregistration_delay = 15
  tags                 = var.tags

  # ECS replaces a task that fails this, and a replaced task has lost what it could serve while the store is
  # down. So it fails after 5 minutes only, when GATEWAY_STALE_IF_ERROR_S is over as well.
  health_check {
    path                = var.task.health_endpoint
    matcher             = "200"
    interval            = 30
    timeout             = 25
    healthy_threshold   = 2
    unhealthy_threshold = 10
  }

  # A target group that a listener uses cannot be deleted before there is another.
  lifecycle {
    create_before_destroy = true
  }
}

resource "aws_lb_listener" "https" {
  load_balancer_arn = aws_lb.this.arn
  port              = 443
  protocol          = "HTTPS"
  ssl_policy        = var.tls_policy
  certificate_arn   = var.certificate_arn
  tags              = var.tags

  default_action {
    type             = "forward"
    target_group_arn = aws_lb_target_group.this.arn
  }
}

resource "aws_wafv2_web_acl_association" "this" {
  count = var.waf_acl_arn == "" ? 0 : 1

  resource_arn = aws_lb.this.arn
  web_acl_arn  = var.waf_acl_arn
}

resource "aws_security_group" "balancer" {
  name        = "${var.name}-balancer"
  description = "Load balancer of ${var.name}"
  vpc_id      = var.vpc_id
  tags        = var.tags
}

resource "aws_security_group" "tasks" {
  name        = "${var.name}-tasks"
  description = "Tasks of ${var.name}"
  vpc_id      = var.vpc_id
  tags        = var.tags
}

resource "aws_vpc_security_group_ingress_rule" "clients" {
  for_each = toset(var.client_cidrs)

  security_group_id = aws_security_group.balancer.id
  description       = "HTTPS from clients"
  cidr_ipv4         = each.value
  ip_protocol       = "tcp"
  from_port         = 443
  to_port           = 443
}

resource "aws_vpc_security_group_egress_rule" "to_tasks" {
  security_group_id            = aws_security_group.balancer.id
  description                  = "Requests and health checks to the tasks"
  referenced_security_group_id = aws_security_group.tasks.id
  ip_protocol                  = "tcp"
  from_port                    = local.port
  to_port                      = local.port
}

resource "aws_vpc_security_group_ingress_rule" "from_balancer" {
  security_group_id            = aws_security_group.tasks.id
  description                  = "Requests and health checks from the load balancer"
  referenced_security_group_id = aws_security_group.balancer.id
  ip_protocol                  = "tcp"
  from_port                    = local.port
  to_port                      = local.port
}

resource "aws_vpc_security_group_egress_rule" "services" {
  for_each = toset(var.egress_cidrs)

  security_group_id = aws_security_group.tasks.id
  description       = "HTTPS to S3, the registry, secrets, logs and the identity provider"
  cidr_ipv4         = each.value
  ip_protocol       = "tcp"
  from_port         = 443
  to_port           = 443
}
