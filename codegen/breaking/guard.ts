import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { contractUrl } from '../generate.ts';
import { object, type Finding, type Json } from './document.ts';
import { findBreakingChanges } from './operations.ts';

/** The contract of the last release, which clients were built from. */
export const baselineUrl = new URL('baseline.yaml', import.meta.url);

/** The input of the guard: the contract of the last release, the present contract, and the changelog's text. */
interface Release {
  before: Json;
  after: Json;
  changelog: string;
}

/** Reads the files that `findUndeclared` judges. */
export async function readRelease(): Promise<Release> {
  const [before, after, changelog] = await Promise.all([
    readFile(baselineUrl, 'utf8'),
    readFile(contractUrl, 'utf8'),
    readFile(new URL('../../CHANGELOG.md', import.meta.url), 'utf8'),
  ]);
  return { before: parse(before) as Json, after: parse(after) as Json, changelog };
}

/**
 * Returns a text about what breaks clients of the last release and is not declared; undefined if there is nothing. A
 * breaking change is declared if the version says so (the second number while the first is 0, else the first) and the
 * list `### Breaking` of that version in the changelog names its place and its rule.
 */
export function findUndeclared({ before, after, changelog }: Release): string | undefined {
  const findings = findBreakingChanges({ before, after });
  if (findings.length === 0) return undefined;

  const [released, version] = [versionOf(before), versionOf(after)];
  const declared = breakingList(changelog, version);
  const undeclared = findings.filter(
    (finding) => !declared.some((line) => line.startsWith(declaration(finding))),
  );
  const problems: string[] = [];
  if (!isRaisedEnough(released, version))
    problems.push(
      `openapi.yaml breaks clients of ${released}: set its info.version, now ${version}, to ${raised(released)} or higher.`,
    );
  if (undeclared.length > 0) {
    const lines = undeclared.map((finding) => `${declaration(finding)} ${finding.text}`);
    problems.push(
      `CHANGELOG.md lacks these lines under "### Breaking" of [${version}], or of [Unreleased]:\n${lines.join('\n')}`,
    );
  }
  return problems.length > 0 ? problems.join('\n') : undefined;
}

/** Returns the start of the changelog line that declares a finding. The rest of that line is for people. */
function declaration({ place, rule }: Finding): string {
  return `- \`${place}\` (${rule})`;
}

/** Returns the lines under `### Breaking` in the section of this version, or in `[Unreleased]` until it has one. */
function breakingList(changelog: string, version: string): string[] {
  const sections = changelog.split(/^## /m);
  const section =
    sections.find((text) => text.startsWith(`[${version}]`)) ??
    sections.find((text) => text.startsWith('[Unreleased]'));
  const list = section?.split(/^### /m).find((text) => /^Breaking\s*$/m.test(text.split('\n', 1)[0] ?? ''));
  return list?.split('\n') ?? [];
}

function isRaisedEnough(released: string, version: string): boolean {
  const [old, next] = [numbersOf(released), numbersOf(version)];
  if (next[0] !== old[0]) return next[0] > old[0];
  return old[0] === 0 && next[1] > old[1];
}

/** Returns the next version that may break clients: below 1.0.0 the second number rises, from then on the first. */
function raised(released: string): string {
  const [major, minor] = numbersOf(released);
  return major === 0 ? `0.${minor + 1}.0` : `${major + 1}.0.0`;
}

function numbersOf(version: string): [number, number] {
  const [, major, minor] = /^(\d+)\.(\d+)\.\d+$/.exec(version) ?? [];
  if (major === undefined || minor === undefined) throw new Error(`info.version ${version} is not x.y.z`);
  return [Number(major), Number(minor)];
}

function versionOf(document: Json): string {
  return String(object(document.info).version);
}
