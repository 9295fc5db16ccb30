# terraform test, with a provider that makes everything up: no account, no credentials, no network.
# Runs that look at the task apply, into nothing: its definition has the name of the log group, known after that only.

mock_provider "aws" {
  mock_data "aws_iam_policy_document" {
    defaults = { json = "{}" }
  }

  mock_data "aws_region" {
    defaults = { id = "eu-central-1" }
  }

  mock_data "aws_caller_identity" {
    defaults = { account_id = "123456789012" }
  }

  mock_data "aws_partition" {
    defaults = { partition = "aws" }
  }

  mock_resource "aws_iam_role" {
    defaults = { arn = "arn:aws:iam::123456789012:role/made-up" }
  }

  mock_resource "aws_cloudwatch_log_group" {
    defaults = { arn = "arn:aws:logs:eu-central-1:123456789012:log-group:/ecs/skills" }
  }

  mock_resource "aws_ecs_task_definition" {
    defaults = { arn = "arn:aws:ecs:eu-central-1:123456789012:task-definition/skills:1" }
  }

  mock_resource "aws_lb" {
    defaults = {
      arn        = "arn:aws:elasticloadbalancing:eu-central-1:123456789012:loadbalancer/app/skills/1234567890abcdef"
      arn_suffix = "app/skills/1234567890abcdef"
    }
  }

  mock_resource "aws_lb_target_group" {
    defaults = {
      arn        = "arn:aws:elasticloadbalancing:eu-central-1:123456789012:targetgroup/skill-1/1234567890abcdef"
      arn_suffix = "targetgroup/skill-1/1234567890abcdef"
    }
  }
}

variables {
  name                = "skills"
  image               = "registry.example.com/skills-gateway:0.1.0"
  bucket              = { name = "acme-skills", arn = "arn:aws:s3:::acme-skills", prefix = "team/" }
  host_name           = "skills.example.com"
  environment         = { GATEWAY_AUTH = "bearer", GATEWAY_AUTH_ISSUERS = "https://idp.example.com" }
  secrets             = { GATEWAY_CURSOR_KEYS = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:cursors-AbCdEf:keys::" }
  vpc_id              = "vpc-1"
  balancer_subnet_ids = ["subnet-1", "subnet-2"]
  task_subnet_ids     = ["subnet-3", "subnet-4"]
  client_cidrs        = ["10.0.0.0/8"]
  certificate_arn     = "arn:aws:acm:eu-central-1:123456789012:certificate/11111111-2222-3333-4444-555555555555"
}

run "the_reader_reads_and_lists_below_the_prefix_and_no_more" {
  command = plan

  assert {
    condition     = toset(flatten([for statement in data.aws_iam_policy_document.reader.statement : tolist(statement.actions)])) == toset(["s3:GetObject", "s3:ListBucket"])
    error_message = "Other actions than those two."
  }

  assert {
    condition     = toset(data.aws_iam_policy_document.reader.statement[0].resources) == toset(["arn:aws:s3:::acme-skills/team/*"])
    error_message = "It reads other objects."
  }

  assert {
    condition     = toset(one(data.aws_iam_policy_document.reader.statement[1].condition).values) == toset(["team/*"])
    error_message = "It lists other prefixes."
  }

  assert {
    condition     = length(aws_iam_role_policy.key) == 0
    error_message = "It has rights on a key, and there is none."
  }
}

run "the_task_is_confined_and_knows_its_settings" {
  command = apply

  assert {
    condition     = jsondecode(aws_ecs_task_definition.this.container_definitions)[0].readonlyRootFilesystem
    error_message = "Its root file system is writable."
  }

  assert {
    condition     = jsondecode(aws_ecs_task_definition.this.container_definitions)[0].user == "10001:10001"
    error_message = "It runs as another user than the image's."
  }

  assert {
    condition = { for row in jsondecode(aws_ecs_task_definition.this.container_definitions)[0].environment : row.name => row.value } == {
      GATEWAY_AUTH         = "bearer"
      GATEWAY_AUTH_ISSUERS = "https://idp.example.com"
      GATEWAY_BUCKET       = "acme-skills"
      GATEWAY_HOST         = "0.0.0.0"
      GATEWAY_PORT         = "8000"
      GATEWAY_PREFIX       = "team/"
      GATEWAY_PUBLIC_URL   = "https://skills.example.com"
      GATEWAY_REGION       = "eu-central-1"
    }
    error_message = "Other settings than those."
  }

  assert {
    condition     = [for row in jsondecode(aws_ecs_task_definition.this.container_definitions)[0].secrets : row.name] == ["GATEWAY_CURSOR_KEYS"]
    error_message = "The keys do not come as a secret."
  }

  assert {
    condition     = toset(local.secret_arns) == toset(["arn:aws:secretsmanager:eu-central-1:123456789012:secret:cursors-AbCdEf"])
    error_message = "The right to read the secret names the key inside it too, which IAM does not know."
  }

  assert {
    condition     = output.url == "https://skills.example.com/mcp"
    error_message = "Another URL."
  }
}

run "clients_come_by_new_tls_on_443_and_nowhere_else" {
  command = plan

  assert {
    condition     = aws_lb_listener.https.port == 443 && aws_lb_listener.https.protocol == "HTTPS" && startswith(aws_lb_listener.https.ssl_policy, "ELBSecurityPolicy-TLS13-1-2")
    error_message = "Not HTTPS with TLS 1.2 or later."
  }

  assert {
    condition     = { for cidr, rule in aws_vpc_security_group_ingress_rule.clients : cidr => rule.from_port } == { "10.0.0.0/8" = 443 }
    error_message = "Other clients, or other ports."
  }

  assert {
    condition     = aws_lb.this.internal
    error_message = "It is on the internet without having been told to."
  }
}

run "an_outage_of_the_store_does_not_have_tasks_replaced_at_once" {
  command = plan

  assert {
    condition     = aws_lb_target_group.this.health_check[0].interval * aws_lb_target_group.this.health_check[0].unhealthy_threshold >= 300
    error_message = "Tasks would be replaced while they could still serve what they know."
  }

  assert {
    condition     = aws_lb_target_group.this.health_check[0].path == "/readyz"
    error_message = "A task that cannot read the bucket would get requests."
  }
}

run "who_may_call_must_be_said" {
  command = plan

  variables {
    environment = {}
  }

  expect_failures = [var.environment]
}

run "a_key_in_clear_is_refused" {
  command = plan

  variables {
    environment = { GATEWAY_AUTH = "none", GATEWAY_API_KEYS = "ci:00" }
  }

  expect_failures = [var.environment]
}

run "tasks_without_common_cursor_keys_are_refused" {
  command = plan

  variables {
    secrets = {}
  }

  expect_failures = [var.secrets]
}

run "an_image_that_moves_is_refused" {
  command = plan

  variables {
    image = "registry.example.com/skills-gateway:latest"
  }

  expect_failures = [var.image]
}

run "old_tls_is_refused" {
  command = plan

  variables {
    tls_policy = "ELBSecurityPolicy-2016-08"
  }

  expect_failures = [var.tls_policy]
}
