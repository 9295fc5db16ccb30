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
  name              = "skills-publisher"
  bucket            = { arn = "arn:aws:s3:::acme-skills", prefix = "team/" }
  oidc_provider_arn = "arn:aws:iam::123456789012:oidc-provider/token.actions.githubusercontent.com"
  repository        = "acme/skills"
  branches          = ["main"]
  environments      = ["skills-stable"]
}

run "only_the_named_branch_and_environment_may_take_the_role" {
  command = plan

  assert {
    condition     = output.subjects == ["repo:acme/skills:ref:refs/heads/main", "repo:acme/skills:environment:skills-stable"]
    error_message = "Other subjects than those."
  }

  assert {
    condition     = alltrue([for condition in data.aws_iam_policy_document.trust.statement[0].condition : condition.test == "StringEquals"])
    error_message = "A subject or an audience is matched by a pattern."
  }
}

run "ids_of_the_repository_are_part_of_the_subject" {
  command = plan

  variables {
    repository_ids = { owner = "123456", repository = "789012" }
    environments   = []
  }

  assert {
    condition     = output.subjects == ["repo:acme@123456/skills@789012:ref:refs/heads/main"]
    error_message = "The subject is not the one of a repository made since July 2026."
  }
}

run "it_writes_below_the_prefix_and_nowhere_else" {
  command = plan

  assert {
    condition     = toset(data.aws_iam_policy_document.publisher.statement[0].actions) == toset(["s3:GetObject", "s3:PutObject", "s3:DeleteObject"])
    error_message = "It may do something else with objects."
  }

  assert {
    condition     = toset(data.aws_iam_policy_document.publisher.statement[0].resources) == toset(["arn:aws:s3:::acme-skills/team/*"])
    error_message = "It reaches other objects."
  }

  assert {
    condition     = toset(data.aws_iam_policy_document.publisher.statement[1].actions) == toset(["s3:ListBucket"])
    error_message = "It may do something else with the bucket."
  }

  assert {
    condition     = toset(one(data.aws_iam_policy_document.publisher.statement[1].condition).values) == toset(["team/*"])
    error_message = "It may list other prefixes."
  }

  assert {
    condition     = length(aws_iam_role_policy.key) == 0
    error_message = "It has rights on a key, and there is none."
  }
}

run "a_bucket_of_its_own_needs_no_condition" {
  command = plan

  variables {
    bucket = { arn = "arn:aws:s3:::acme-skills" }
  }

  assert {
    condition     = length(data.aws_iam_policy_document.publisher.statement[1].condition) == 0
    error_message = "A condition without a prefix."
  }
}

run "a_wildcard_for_a_branch_is_refused" {
  command = plan

  variables {
    branches = ["release/*"]
  }

  expect_failures = [var.branches]
}

run "a_wildcard_in_the_prefix_is_refused" {
  command = plan

  variables {
    bucket = { arn = "arn:aws:s3:::acme-skills", prefix = "*/" }
  }

  expect_failures = [var.bucket]
}

run "a_role_that_nobody_could_take_is_refused" {
  command = plan

  variables {
    branches     = []
    environments = []
  }

  expect_failures = [var.environments]
}

run "one_id_without_the_other_is_refused" {
  command = plan

  variables {
    repository_ids = { owner = "123456" }
  }

  expect_failures = [var.repository_ids]
}
