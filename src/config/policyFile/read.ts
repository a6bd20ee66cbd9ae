import type { PolicyRead, PolicyRules } from '../../callers/index.ts';
import { readRegularFile } from '../regularFile.ts';
import { containsSecretKey } from '../secretKeys.ts';
import { contentProblems } from './content.ts';
import { rulesOf, type PolicyContent } from './rules.ts';
import { shapeProblems } from './shape.ts';
import { readYaml, type LineProblem } from './yaml.ts';

const MAX_FILE_BYTES = 1024 * 1024;
/** More would only hide the first. */
const MAX_PROBLEMS = 20;

/** Reads the operator's policy. `hasSecret` is true if there is a secret that signs the calls of a check. */
export function readPolicyFile(path: string, hasSecret: boolean): PolicyRead {
  const text = readRegularFile(path, MAX_FILE_BYTES);
  if (typeof text !== 'string') return { problems: [text.problem] };
  if (text.trim() === '')
    return { problems: ['names an empty file: write a rule, or leave the variable out'] };
  const read = policyIn(text, hasSecret);
  if (!Array.isArray(read)) return { rules: read };
  const lines = read.toSorted((a, b) => a.line - b.line).map(({ line, text: why }) => `line ${line}: ${why}`);
  const problems = [...new Set(lines)];
  const more = problems.splice(MAX_PROBLEMS).length;
  if (more > 0) problems.push(`has ${more} more problems`);
  return { problems };
}

function policyIn(text: string, hasSecret: boolean): PolicyRules | LineProblem[] {
  const secrets = secretProblems(text);
  if (secrets.length > 0) return secrets;
  const yaml = readYaml(text);
  if ('problems' in yaml) return yaml.problems;
  const misshapen = shapeProblems(yaml);
  if (misshapen.length > 0) return misshapen;
  const content = yaml.value as PolicyContent;
  const wrong = contentProblems(content, yaml, hasSecret);
  return wrong.length > 0 ? wrong : rulesOf(content);
}

/** Finds secrets before anything else, whose problems might repeat them. */
function secretProblems(text: string): LineProblem[] {
  return text.split('\n').flatMap((line, index) => {
    if (containsSecretKey(line))
      return [{ line: index + 1, text: 'holds a secret key: remove it, no policy needs one' }];
    if (line.includes('whsec_'))
      return [{ line: index + 1, text: 'holds the secret of a check, which belongs in POLICY_CHECK_SECRET' }];
    return [];
  });
}
