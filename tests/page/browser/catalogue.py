"""A catalogue for browsers to look at, one skill of which would do harm if it could."""

from tests.tree.trees import skill_md

MEGABYTE = 1024 * 1024
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6360f8cf500f00030101005ac7"
    "6bd90000000049454e44ae426082"
)
HOSTILE = """# Harmless?

<script>window.harmed = 1</script>
<img src=x onerror="window.harmed = 2">
<svg onload="window.harmed = 3"><script>window.harmed = 4</script></svg>
<iframe srcdoc="<script>parent.harmed = 5</script>"></iframe>
<style>body { display: none }</style>

[a link](javascript:window.harmed=6) and [another](data:text/html,<script>window.harmed=7</script>)

![a picture](https://evil.example/pixel.png) ![and one](//evil.example/pixel.png)

<a href="javascript:window.harmed=8">x</a> <https://elsewhere.example/>

| <script>window.harmed = 9</script> | [x](vbscript:x) |
| --- | --- |
| {{ 7 * 7 }} ${7 * 7} | <b onclick="window.harmed = 10">b</b> |
"""
DESCRIPTION = 'Ends with </p><script>window.harmed = 11</script> and \\"quotes\\".'

CATALOGUE = {
    "acme/billing/refunds/SKILL.md": skill_md("refunds", "# Refund\n\nSee [replies](replies.md).\n", "Pays it back."),
    "acme/billing/refunds/replies.md": b"# Replies\n\nDear *customer*,\n",
    "acme/billing/refunds/logo.png": PNG,
    "acme/hr/leave/SKILL.md": skill_md("leave", "Ask first.\n", "Plans a holiday for a whole team."),
    "broken/SKILL.md": b"---\nname: broken\ndescription: a: b\n---\n",
    "hostile/SKILL.md": f'---\nname: hostile\ndescription: "{DESCRIPTION}"\n---\n{HOSTILE}'.encode(),
    "hostile/line.md": b"word " * (MEGABYTE // 5),
    "hostile/page.html": b"<script>window.harmed = 12</script>",
    "hostile/image.svg": b"<svg xmlns='http://www.w3.org/2000/svg' onload='window.harmed = 13'/>",
    "kit/SKILL.md": skill_md("kit", "Build it.\n", "Builds a kit."),
}
