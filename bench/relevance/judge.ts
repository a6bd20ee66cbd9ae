import type { Model } from '../../src/catalog/meaning/index.ts';
import { bootstrapInterval, signTest, type SignTest } from './confidence.ts';
import { meanScores, scoresOf, type Scores } from './measures.ts';
import { openRankings } from './rankings.ts';
import { readSet } from './set.ts';
import { HALVES, KINDS, type Half, type Question, type QuestionKind } from './shape.ts';
import type { Interval } from '../statistics.ts';

/** Both rankings, judged by the questions of one half. */
export interface Judged {
  readonly half: Half;
  readonly questions: number;
  readonly hybrid: Scores;
  readonly lexical: Scores;
  /** The 95 % interval of the hybrid ranking's nDCG. */
  readonly interval: Interval;
  readonly sign: SignTest;
  /** nDCG by the kind of question. */
  readonly kinds: ReadonlyMap<QuestionKind, { readonly hybrid: number; readonly lexical: number }>;
  /** The questions that the hybrid ranking answers worst; none of the half that is not for tuning. */
  readonly worst: readonly { readonly question: Question; readonly ndcgAt10: number }[];
}

const WORST = 15;

interface Answered {
  readonly question: Question;
  readonly hybrid: Scores;
  readonly lexical: Scores;
}

/** Judges both rankings by all questions of the set. */
export function judge(model: Model): Judged[] {
  const { listings, questions } = readSet();
  const rankings = openRankings(listings, model);
  const spam = new Set(listings.filter(({ spam: isSpam }) => isSpam).map(({ id }) => id));
  const answered = questions.map((question): Answered => {
    const { query, grades } = question;
    const score = (ranking: 'hybrid' | 'lexical'): Scores => scoresOf(rankings[ranking](query), grades, spam);
    return { question, hybrid: score('hybrid'), lexical: score('lexical') };
  });
  return HALVES.map((half) =>
    judgeHalf(
      half,
      answered.filter(({ question }) => question.half === half),
    ),
  );
}

function judgeHalf(half: Half, answered: readonly Answered[]): Judged {
  const [ours, peer] = (['hybrid', 'lexical'] as const).map((side) =>
    answered.map((each) => each[side].ndcgAt10),
  ) as [number[], number[]];
  const worst = answered.toSorted((a, b) => a.hybrid.ndcgAt10 - b.hybrid.ndcgAt10).slice(0, WORST);
  return {
    half,
    questions: answered.length,
    hybrid: meanScores(answered.map(({ hybrid }) => hybrid)),
    lexical: meanScores(answered.map(({ lexical }) => lexical)),
    interval: bootstrapInterval(ours),
    sign: signTest(ours, peer),
    kinds: new Map(KINDS.map((kind) => [kind, ofKind(kind, answered)])),
    worst: half === 'test' ? [] : worst.map(({ question, hybrid: { ndcgAt10 } }) => ({ question, ndcgAt10 })),
  };
}

function ofKind(kind: QuestionKind, answered: readonly Answered[]) {
  const some = answered.filter(({ question }) => question.kind === kind);
  return {
    hybrid: meanScores(some.map(({ hybrid }) => hybrid)).ndcgAt10,
    lexical: meanScores(some.map(({ lexical }) => lexical)).ndcgAt10,
  };
}
