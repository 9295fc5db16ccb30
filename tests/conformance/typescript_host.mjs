// The official TypeScript client as a host: lists, gets, reads (verified) and walks every skill of a server.
//   node typescript_host.mjs PACKAGES URL REVISION
// PACKAGES is the folder with node_modules. Prints one JSON object: what was seen, and each problem as a sentence.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';

const [packages, url, revision] = process.argv.slice(2);
const require = createRequire(join(packages, 'package.json'));
const { Client, StreamableHTTPClientTransport } = require('@modelcontextprotocol/client');
const { DIRECTORY_MIME_TYPE, SkillsClient } = require('@modelcontextprotocol/client/ext/skills');

const AT_ONCE = 8;
const seen = { revision: '', skills: 0, files: 0, verified: 0, bytes: 0, directories: 0, problems: [] };

async function attempt(what, work) {
    try {
        return await work();
    } catch (error) {
        seen.problems.push(`${what}: ${error.message}`);
    }
}

async function readFiles(host, entry) {
    for (const { uri } of entry.resources) {
        const file = await attempt(`read ${uri}`, () => host.read(entry, uri));
        if (!file) continue;
        seen.files += 1;
        seen.bytes += file.bytes.length;
        seen.verified += file.verified ? 1 : 0;
    }
}

async function walk(host, root) {
    const files = [];
    const waiting = [root];
    while (waiting.length > 0) {
        const directory = waiting.pop();
        const result = await attempt(`directory ${directory}`, () => host.readDirectory(directory));
        if (!result) continue;
        seen.directories += 1;
        for (const { uri, mimeType } of result.resources) (mimeType === DIRECTORY_MIME_TYPE ? waiting : files).push(uri);
    }
    return files;
}

async function visit(host, entry) {
    seen.skills += 1;
    const got = await attempt(`get ${entry.uri}`, () => host.get(entry.uri));
    if (got && !isDeepStrictEqual(got.skill, entry)) seen.problems.push(`get ${entry.uri}: another entry than listed`);
    if (entry.resources === 'dynamic') {
        seen.problems.push(`${entry.uri}: dynamic, so no file can be verified`);
        return;
    }
    await readFiles(host, entry);
    const reached = await walk(host, entry.uri.slice(0, -'/SKILL.md'.length));
    const listed = entry.resources.map((file) => file.uri);
    if (!isDeepStrictEqual(reached.sort(), listed.sort())) {
        seen.problems.push(`${entry.uri}: directories reach ${reached.length} files, the entry has ${listed.length}`);
    }
}

const mode = revision === '2025-11-25' ? 'legacy' : { pin: revision };
const client = new Client({ name: 'typescript-host', version: '1' }, { versionNegotiation: { mode } });
await client.connect(new StreamableHTTPClientTransport(new URL(url)));
seen.revision = client.getNegotiatedProtocolVersion();
const host = new SkillsClient(client);
// list() throws when the client finds a single entry invalid.
const listing = await attempt('list', () => host.list());
const waiting = listing?.skills ?? [];
const next = async () => {
    while (waiting.length > 0) await visit(host, waiting.shift());
};
await Promise.all(Array.from({ length: AT_ONCE }, next));
await client.close();
console.log(JSON.stringify(seen));
