"""The made-up skills are the same everywhere, and are skills."""

from benchmarks.corpus import GUIDE, GUIDE_BYTES, WARM_SKILLS, file_count, name_of, skill_files, warm_catalogue
from gateway.skill.frontmatter import read_frontmatter


def test_a_skill_is_made_of_its_number_alone() -> None:
    """[ours] Runs on different days measure the same bytes."""
    assert skill_files(7, 3) == skill_files(7, 3)
    assert set(skill_files(7, 3).values()).isdisjoint(skill_files(8, 3).values())


def test_the_warm_catalogue_has_skills_of_three_to_ten_files_with_a_guide_of_2_kib() -> None:
    """[ours]"""
    catalogue = warm_catalogue()
    counts = [file_count(number) for number in range(WARM_SKILLS)]
    assert (min(counts), max(counts), sum(counts)) == (3, 10, len(catalogue))
    assert {len(data) for path, data in catalogue.items() if path.endswith(GUIDE)} == {GUIDE_BYTES}


def test_each_frontmatter_has_the_name_of_its_folder() -> None:
    """[agentskills.io]"""
    read = [read_frontmatter(skill_files(number, 1)["SKILL.md"], is_whole=True) for number in range(WARM_SKILLS)]
    assert [(frontmatter or {})["name"] for frontmatter in read] == [name_of(number) for number in range(WARM_SKILLS)]
