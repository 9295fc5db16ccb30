// The official TypeScript SDK serving a catalogue of skills over HTTP.
//
//   node typescript_server.mjs PORT PAGE_SIZE folder FOLDER
//   node typescript_server.mjs PORT PAGE_SIZE s3 ENDPOINT BUCKET PREFIX      credentials in AWS_...
//
// Prints `loading <seconds since 1970>` when it begins to load.
import { createServer } from 'node:http';
import { localhostHostValidation, localhostOriginValidation, toNodeHandler } from '@modelcontextprotocol/node';
import { McpServer, createMcpHandler } from '@modelcontextprotocol/server';
import { SkillsExtension } from '@modelcontextprotocol/server/ext/skills';
import { nodeSkillFiles } from '@modelcontextprotocol/server/ext/skills/node';

const [port, pageSize, kind, ...place] = process.argv.slice(2);

async function skillFiles() {
    if (kind === 'folder') return nodeSkillFiles(place[0]);
    const [endpoint, bucket, prefix] = place;
    const { s3SkillFiles } = await import('./s3_skill_files.mjs');
    console.log(`loading ${(performance.timeOrigin + performance.now()) / 1000}`);
    return s3SkillFiles({ endpoint, bucket, prefix });
}

const catalog = await SkillsExtension.load(await skillFiles(), {
    pageSize: Number(pageSize),
    onWarning: ({ path, message }) => console.error(`warning: ${path}: ${message}`)
});
const handler = toNodeHandler(
    createMcpHandler(() => {
        const server = new McpServer({ name: 'typescript-peer', version: '1.0.0' });
        catalog.attach(server);
        return server;
    })
);
const hostIsOurs = localhostHostValidation();
const originIsOurs = localhostOriginValidation();

createServer((request, response) => {
    if (hostIsOurs(request, response) && originIsOurs(request, response)) handler(request, response);
}).listen(Number(port), '127.0.0.1');
