// Which skills of a folder the official TypeScript SDK accepts into its catalogue.
//   node typescript_catalog.mjs PACKAGES FOLDER
// PACKAGES is the folder with node_modules. Prints their paths as a JSON list.
import { createRequire } from 'node:module';
import { join } from 'node:path';

const [packages, folder] = process.argv.slice(2);
const require = createRequire(join(packages, 'package.json'));
const { SkillsExtension } = require('@modelcontextprotocol/server/ext/skills');
const { nodeSkillFiles } = require('@modelcontextprotocol/server/ext/skills/node');

const { entries } = await SkillsExtension.load(nodeSkillFiles(folder), { onWarning: () => {} });
console.log(JSON.stringify(entries.map(({ uri }) => uri.replace('skill://', '').replace(/\/SKILL\.md$/, ''))));
