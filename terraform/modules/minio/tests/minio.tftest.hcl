# terraform test, with a provider that makes everything up: no MinIO, no credentials.

mock_provider "minio" {
  mock_data "minio_iam_policy_document" {
    defaults = { json = "{}" }
  }
}

variables {
  bucket_name  = "skills"
  prefix       = "team/"
  users        = { skills-gateway = "reader", skills-ci = "publisher" }
  user_secrets = { skills-gateway = "made-up-for-a-test", skills-ci = "made-up-for-a-test" }
}

run "the_bucket_is_private_and_keeps_versions" {
  command = plan

  assert {
    condition     = minio_s3_bucket.this.acl == "private"
    error_message = "The bucket is not private."
  }

  assert {
    condition     = minio_s3_bucket_versioning.this.versioning_configuration[0].status == "Enabled"
    error_message = "Versions are not kept."
  }
}

run "each_user_has_the_policy_of_its_role" {
  command = plan

  assert {
    condition = { for user, attached in minio_iam_user_policy_attachment.this : user => attached.policy_name } == {
      skills-gateway = "skills-reader"
      skills-ci      = "skills-publisher"
    }
    error_message = "A user has another policy than that of its role."
  }
}

run "another_role_is_refused" {
  command = plan

  variables {
    users        = { boss = "admin" }
    user_secrets = { boss = "made-up-for-a-test" }
  }

  expect_failures = [var.users]
}

run "a_short_secret_is_refused" {
  command = plan

  variables {
    users        = { skills-gateway = "reader" }
    user_secrets = { skills-gateway = "short" }
  }

  expect_failures = [var.user_secrets]
}
