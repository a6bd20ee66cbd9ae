import { loadModel } from '../src/catalog/meaning/loadModel.ts';
import { judge, type Judged } from './relevance/judge.ts';
import type { Scores } from './relevance/measures.ts';
import type { Goal, Result, Section } from './results.ts';
import { shown } from './table.ts';

const NAMES: Readonly<Record<keyof Scores, string>> = {
  ndcgAt10: 'nDCG@10',
  recallAt5: 'recall@5',
  recallAt10: 'recall@10',
  reciprocalRank: 'MRR',
  zeroResults: 'share of questions that find nothing',
  spamInTen: 'share of questions with spam in the first ten',
};

/** Judges the hybrid ranking beside the lexical one. `folder` names a Model2Vec model; without it, the built-in one. */
export async function benchRelevance(folder?: string): Promise<Result> {
  const model = await loadModel(folder === undefined ? 'built-in' : { folder });
  const judged = judge(model);
  for (const { question, ndcgAt10 } of judged.flatMap(({ worst }) => worst))
    console.error(`${shown(ndcgAt10)}  ${question.id}  ${question.query}`);
  return {
    name: 'relevance',
    sides: ['hybrid', 'lexical'],
    notes: [
      `The set of bench/relevance, all listings in one catalog in memory, with the model ${model.name}.`,
      'The ranking was tuned on the first half. The other half was only ever judged as a whole. Above, the questions of the first half that are answered worst.',
    ],
    sections: judged.map(sectionOf),
    goals: judged.flatMap(goalsOf),
  };
}

function sectionOf({ half, questions, hybrid, lexical, interval, sign, kinds }: Judged): Section {
  const scores = (Object.keys(NAMES) as (keyof Scores)[]).map((name) => ({
    name: NAMES[name],
    ours: [hybrid[name]],
    peer: [lexical[name]],
  }));
  const byKind = [...kinds].map(([kind, { hybrid: ours, lexical: peer }]) => ({
    name: `nDCG@10, ${kind}`,
    ours: [ours],
    peer: [peer],
  }));
  return {
    title: `The half "${half}": ${questions} questions`,
    measures: [...scores, ...byKind],
    remark: `nDCG@10 of hybrid lies between ${shown(interval.low)} and ${shown(interval.high)} (95 %, bootstrap). It is better than lexical for ${sign.wins} questions and worse for ${sign.losses} (sign test: p = ${sign.p.toExponential(1)}).`,
  };
}

function goalsOf({ half, hybrid, lexical }: Judged): Goal[] {
  const gain = hybrid.ndcgAt10 - lexical.ndcgAt10;
  return [
    {
      name: `nDCG@10 of "${half}" at least 0.55`,
      measured: shown(hybrid.ndcgAt10),
      isMet: hybrid.ndcgAt10 >= 0.55,
    },
    { name: `at least 0.11 above lexical`, measured: shown(gain), isMet: gain >= 0.11 },
    {
      name: 'nothing found for under 1 %',
      measured: shown(hybrid.zeroResults),
      isMet: hybrid.zeroResults < 0.01,
    },
    {
      name: 'spam in the first ten for at most 10 %',
      measured: shown(hybrid.spamInTen),
      isMet: hybrid.spamInTen <= 0.1,
    },
  ];
}
