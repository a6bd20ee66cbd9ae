import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { contractUrl } from '../generate.ts';
import { findBreakingChanges, type Finding } from './oasdiff.ts';
import type { Contract } from './spellOut.ts';

/** The contract of the last release, which clients were built from. */
export const baselineUrl = new URL('baseline.yaml', import.meta.url);

/** The input of the guard: the contract of the last release, the present contract, and the changelog's text. */
interface Release {
  before: Contract;
  after: Contract;
  changelog: string;
}

/** True while the contract is still that of the last release. */
export async function isUnchanged(): Promise<boolean> {
  const [before, after] = await Promise.all([readFile(baselineUrl), readFile(contractUrl)]);
  return before.equals(after);
}

/** Reads the files that `findUndeclared` judges. */
export async function readRelease(): Promise<Release> {
  const [before, after, changelog] = await Promise.all([
    readFile(baselineUrl, 'utf8'),
    readFile(contractUrl, 'utf8'),
    readFile(new URL('../../CHANGELOG.md', import.meta.url), 'utf8'),
  ]);
  return { before: parse(before) as Contract, after: parse(after) as Contract, changelog };
}

/**
 * Returns a text about what breaks clients of the last release and is not declared; undefined if there is nothing. A
 * breaking change is declared if `info.version` is raised (the second number while the first is 0, else the first) and
 * the list `### Breaking` of that version in the changelog has its line.
 */
export async function findUndeclared(
  program: string,
  { before, after, changelog }: Release,
): Promise<string | undefined> {
  const findings = await findBreakingChanges(program, before, after);
  const isAboutVersion = ({ section }: Finding): boolean => section === 'info';
  const problems = findings
    .filter(isAboutVersion)
    .map(({ text }) => `openapi.yaml: raise info.version enough: ${text}`);

  const version = after.info.version;
  const declared = breakingList(changelog, version);
  const changes = findings.filter((finding) => !isAboutVersion(finding));
  const lacking = [...new Set(changes.map(declaration))].filter(
    (line) => !declared.some((found) => found.startsWith(line)),
  );
  if (lacking.length > 0)
    problems.push(
      `CHANGELOG.md lacks these lines under "### Breaking" of [${version}], or of [Unreleased]:`,
      ...lacking,
    );
  return problems.length > 0 ? problems.join('\n') : undefined;
}

/**
 * Returns the start of the changelog line that declares a finding; the rest of that line is for people. One line
 * declares the change for every status whose answer has it.
 */
function declaration({ id, text, operation, path, section }: Finding): string {
  const place = path === undefined ? section : `${operation} ${path}`;
  return `- ${place}: ${text.replace(statusOfAnswer, '')} (${id})`;
}

const statusOfAnswer = / (for|from) (the )?(response )?(with the )?(status )?`\d{3}`( status)?/;

/** Returns the lines under `### Breaking` in the section of this version, or in `[Unreleased]` until it has one. */
function breakingList(changelog: string, version: string): string[] {
  const sections = changelog.split(/^## /m);
  const section =
    sections.find((text) => text.startsWith(`[${version}]`)) ??
    sections.find((text) => text.startsWith('[Unreleased]'));
  const list = section?.split(/^### /m).find((text) => /^Breaking\s*$/m.test(text.split('\n', 1)[0] ?? ''));
  return list?.split('\n') ?? [];
}
