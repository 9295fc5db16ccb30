// A SkillFiles adapter of the TypeScript SDK over an S3 prefix.
//
// The catalogue lists every directory and then reads every file, one after the other. So the prefix is
// listed once, flat, and its files are fetched ahead of the catalogue, several at a time over
// connections that stay open; what was not fetched ahead is fetched when it is read.
import { Agent } from 'node:http';
import { GetObjectCommand, S3Client, paginateListObjectsV2 } from '@aws-sdk/client-s3';
import { NodeHttpHandler } from '@smithy/node-http-handler';

const AT_ONCE = 32;

function clientOf(endpoint) {
    return new S3Client({
        endpoint,
        region: 'us-east-1',
        forcePathStyle: true,
        requestHandler: new NodeHttpHandler({ httpAgent: new Agent({ keepAlive: true, maxSockets: AT_ONCE }) })
    });
}

async function childrenOf(client, bucket, prefix) {
    const directories = new Map([['', new Map()]]);
    const paths = [];
    for await (const page of paginateListObjectsV2({ client }, { Bucket: bucket, Prefix: prefix })) {
        for (const { Key: key } of page.Contents ?? []) {
            const path = key.slice(prefix.length);
            paths.push(path);
            addPath(directories, path);
        }
    }
    return { directories, paths };
}

function addPath(directories, path) {
    let name = path;
    let kind = 'file';
    for (;;) {
        const cut = name.lastIndexOf('/');
        const parent = cut < 0 ? '' : name.slice(0, cut);
        const isKnown = directories.has(parent);
        if (!isKnown) directories.set(parent, new Map());
        directories.get(parent).set(name.slice(cut + 1), kind);
        if (isKnown) return;
        name = parent;
        kind = 'directory';
    }
}

// SkillFiles over `prefix`; resolves when the prefix is listed and the first files are on their way.
export async function s3SkillFiles({ endpoint, bucket, prefix }) {
    const client = clientOf(endpoint);
    const get = async (path) => {
        const answer = await client.send(new GetObjectCommand({ Bucket: bucket, Key: prefix + path }));
        return answer.Body.transformToByteArray();
    };
    const { directories, paths } = await childrenOf(client, bucket, prefix);
    const ahead = fetchedAhead(paths, get);
    return {
        async list(directory) {
            return [...(directories.get(directory) ?? [])].map(([name, kind]) => ({ name, kind }));
        },
        async read(path) {
            const fetched = ahead.get(path);
            ahead.delete(path);
            return fetched ?? get(path);
        }
    };
}

function fetchedAhead(paths, get) {
    const ahead = new Map();
    let running = 0;
    const waiting = [];
    const fetch = async (path) => {
        if (running >= AT_ONCE) await new Promise((go) => waiting.push(go));
        running += 1;
        try {
            return await get(path);
        } finally {
            running -= 1;
            waiting.shift()?.();
        }
    };
    for (const path of paths) {
        const fetched = fetch(path);
        // The catalogue awaits it later; until then a failure must not end the process.
        fetched.catch(() => {});
        ahead.set(path, fetched);
    }
    return ahead;
}
