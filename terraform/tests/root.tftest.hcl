# terraform test, with a provider that makes everything up: no account, no credentials, no network.

mock_provider "aws" {
  mock_data "aws_iam_policy_document" {
    defaults = { json = "{}" }
  }

  mock_data "aws_region" {
    defaults = { id = "eu-central-1" }
  }
}

variables {
  bucket          = { name = "acme-skills", prefix = "team/" }
  image           = "registry.example.com/skills-gateway:0.1.0"
  host_name       = "skills.example.com"
  environment     = { GATEWAY_AUTH = "bearer", GATEWAY_AUTH_ISSUERS = "https://idp.example.com" }
  secrets         = { GATEWAY_CURSOR_KEYS = "arn:aws:ssm:eu-central-1:123456789012:parameter/skills/cursor-keys" }
  certificate_arn = "arn:aws:acm:eu-central-1:123456789012:certificate/11111111-2222-3333-4444-555555555555"
  network = {
    vpc_id              = "vpc-1"
    balancer_subnet_ids = ["subnet-1", "subnet-2"]
    task_subnet_ids     = ["subnet-3"]
    client_cidrs        = ["10.0.0.0/8"]
  }
}

run "without_publishers_github_is_not_trusted" {
  command = plan

  assert {
    condition     = length(aws_iam_openid_connect_provider.github) == 0 && output.publisher_role_arns == {}
    error_message = "GitHub is trusted for nothing."
  }
}

run "with_publishers_github_is_trusted_once" {
  command = plan

  variables {
    publishers = {
      billing = { repository = "acme/billing-skills", branches = ["main"] }
      support = { repository = "acme/support-skills", environments = ["publish"] }
    }
  }

  assert {
    condition     = length(aws_iam_openid_connect_provider.github) == 1 && keys(output.publisher_role_arns) == ["billing", "support"]
    error_message = "Not one provider and two roles."
  }
}

run "a_provider_that_is_there_is_used" {
  command = plan

  variables {
    github_oidc_provider_arn = "arn:aws:iam::123456789012:oidc-provider/token.actions.githubusercontent.com"
    publishers               = { billing = { repository = "acme/billing-skills", branches = ["main"] } }
  }

  assert {
    condition     = length(aws_iam_openid_connect_provider.github) == 0
    error_message = "A second provider for GitHub, which an account refuses."
  }
}
