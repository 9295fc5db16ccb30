"""What the policies allow, read from the files. A plan would need Terraform; `*.tftest.hcl` has those."""

import pytest

from tests.terraform.sources import folders, modules, resources
from tests.terraform.statements import Condition, Statement, of, statements

READS = {"s3:GetObject", "s3:ListBucket"}
WRITES = READS | {"s3:PutObject", "s3:DeleteObject"}
ONLY_STARS = {
    "modules/service:execution:LogInToTheRegistry": "ecr:GetAuthorizationToken knows no resource",
    "examples/complete:alarms_key:TheAccountManagesIt": "the policy of a key speaks of that key alone",
    "examples/complete:alarms_key:AlarmsUseIt": "the policy of a key speaks of that key alone",
}
"""Statements over all resources, and why there is no other way."""

ROLES = [
    ("modules/service", "reader", READS),
    ("modules/minio", "reader", READS),
    ("modules/publisher", "publisher", WRITES),
    ("modules/minio", "publisher", WRITES),
]
IDS = [f"{folder.removeprefix('modules/')}-{document}" for folder, document, _ in ROLES]


def allowing() -> list[Statement]:
    return [one for one in statements() if one.effect == "Allow"]


def test_no_statement_allows_an_action_by_a_pattern() -> None:
    """[ours] The key of the example excepted: an account that cannot manage a key loses it."""
    patterns = {one.place: one.actions for one in allowing() if any("*" in action for action in one.actions)}
    assert patterns == {"examples/complete:alarms_key:TheAccountManagesIt": ("kms:*",)}


def test_no_statement_allows_all_resources_but_where_there_is_no_other_way() -> None:
    """[ours]"""
    assert {one.place for one in allowing() if "*" in one.resources} == set(ONLY_STARS)


def test_a_star_in_a_resource_stands_after_a_prefix_or_a_log_group() -> None:
    """[ours]"""
    starred = [name for one in allowing() for name in one.resources if "*" in name and name != "*"]
    ends = ("prefix}*", "${aws_cloudwatch_log_group.this.arn}:log-stream:*")
    assert [name for name in starred if not name.endswith(ends) or name.count("*") > 1] == []
    assert len(starred) == len(ROLES) + 1


@pytest.mark.parametrize(("folder", "document", "actions"), ROLES, ids=IDS)
def test_a_role_has_exactly_the_actions_it_needs(folder: str, document: str, actions: set[str]) -> None:
    """[S3] HEAD of an object is s3:GetObject; HEAD of the bucket, and 404 for a missing key, need s3:ListBucket."""
    found = [action for one in of(folder, document) for action in one.actions]
    assert sorted(found) == sorted(actions)


@pytest.mark.parametrize(("folder", "document", "actions"), ROLES, ids=IDS)
def test_objects_are_reached_below_the_prefix_only(folder: str, document: str, actions: set[str]) -> None:
    """[ours]"""
    prefix = "${var.prefix}" if folder == "modules/minio" else "${var.bucket.prefix}"
    arn = "${local.bucket_arn}" if folder == "modules/minio" else "${var.bucket.arn}"
    by_action = {action: one.resources for one in of(folder, document) for action in one.actions}
    objects = dict.fromkeys(actions - {"s3:ListBucket"}, (f"{arn}/{prefix}*",))
    assert by_action == objects | {"s3:ListBucket": (arn,)}


@pytest.mark.parametrize(("folder", "document", "actions"), ROLES, ids=IDS)
def test_the_bucket_is_listed_below_the_prefix_only(folder: str, document: str, actions: set[str]) -> None:
    """[S3] s3:prefix is the Prefix of a listing; the condition falls away for a prefix that is empty."""
    (listing,) = [one for one in of(folder, document) if "s3:ListBucket" in one.actions]
    assert listing.conditions == (Condition("StringLike", "s3:prefix", ("${condition.value}*",)),)


def test_rights_on_a_key_are_for_use_through_s3() -> None:
    """[ours] A role that could decrypt by itself would need no rights on objects."""
    through_s3 = (Condition("StringLike", "kms:ViaService", ("s3.${data.aws_region.current.id}.*",)),)
    found = {one.folder: (one.actions, one.conditions) for one in allowing() if one.document == "key"}
    assert found == {
        "modules/service": (("kms:Decrypt",), through_s3),
        "modules/publisher": (("kms:Decrypt", "kms:GenerateDataKey"), through_s3),
    }


def test_only_the_named_repository_may_take_the_role_that_publishes() -> None:
    """[GitHub OIDC] Audience and subject, both in full: a pattern would let branches in that anybody may push."""
    (trust,) = of("modules/publisher", "trust")
    issuer = "token.actions.githubusercontent.com"
    assert trust.actions == ("sts:AssumeRoleWithWebIdentity",)
    assert trust.conditions == (
        Condition("StringEquals", f"{issuer}:aud", ("sts.amazonaws.com",)),
        Condition("StringEquals", f"{issuer}:sub", ("${local.subjects}",)),
    )


def test_tasks_take_the_role_that_reads_for_this_account_only() -> None:
    """[AWS] Without it ECS could be made to act for another account (confused deputy)."""
    (trust,) = of("modules/service", "reader_trust")
    assert [(one.test, one.variable) for one in trust.conditions] == [
        ("StringEquals", "aws:SourceAccount"),
        ("ArnLike", "aws:SourceArn"),
    ]


def test_the_bucket_refuses_plain_http_and_old_tls() -> None:
    """[S3] For everybody, and for bucket and objects alike."""
    denials = of("modules/bucket", "tls_only")
    both = ("${aws_s3_bucket.this.arn}", "${aws_s3_bucket.this.arn}/*")
    assert [(one.effect, one.actions, one.resources, one.conditions) for one in denials] == [
        ("Deny", ("s3:*",), both, (Condition("Bool", "aws:SecureTransport", ("false",)),)),
        ("Deny", ("s3:*",), both, (Condition("NumericLessThan", "s3:TlsVersion", ("1.2",)),)),
    ]
    document = resources("modules/bucket", "aws_iam_policy_document", "data")["tls_only"]
    everybody = [{"type": "*", "identifiers": ["*"]}]
    assert [one["principals"] for one in document["statement"]] == [everybody, everybody]
    assert resources("modules/bucket", "aws_s3_bucket_policy")["this"]["policy"] == (
        "${data.aws_iam_policy_document.tls_only.json}"
    )


def test_every_bucket_blocks_public_access_altogether() -> None:
    """[S3]"""
    switches = ("block_public_acls", "block_public_policy", "ignore_public_acls", "restrict_public_buckets")
    for folder in folders():
        for name in resources(folder, "aws_s3_bucket"):
            block = resources(folder, "aws_s3_bucket_public_access_block")[name]
            assert {switch: block[switch] for switch in switches} == dict.fromkeys(switches, True)
    assert resources("modules/bucket", "aws_s3_bucket") != {}


def test_no_role_takes_a_policy_that_others_change() -> None:
    """[ours] What a role may do stands here and not in a managed policy."""
    attached = ("aws_iam_role_policy_attachment", "aws_iam_policy_attachment", "aws_iam_user")
    assert [(folder, kind) for folder in modules() for kind in attached if resources(folder, kind)] == []
