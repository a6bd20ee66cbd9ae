import { sum } from '../statistics.ts';

/** Identifiers of listings, best first. */
export type Ranking = readonly string[];
/** Grades by listing, at least one of them 2 or 3. */
export type Grades = Readonly<Record<string, number>>;

/** The scores of a ranking, for one question or as the average of many. Each lies between 0 and 1. */
export interface Scores {
  ndcgAt10: number;
  recallAt5: number;
  recallAt10: number;
  /** The mean of many is the MRR. */
  reciprocalRank: number;
  /** 1 if nothing was found. The mean of many is a share of questions. */
  zeroResults: number;
  /** 1 if one of the first ten is spam. The mean of many is a share of questions. */
  spamInTen: number;
}

const PAGE = 10;
/** Listings with this grade or a higher one count as relevant. */
const RELEVANT_GRADE = 2;

export const scoresOf = (ranking: Ranking, grades: Grades, spam: ReadonlySet<string>): Scores => ({
  ndcgAt10: ndcg(ranking, grades, PAGE),
  recallAt5: recall(ranking, grades, 5),
  recallAt10: recall(ranking, grades, PAGE),
  reciprocalRank: reciprocalRank(ranking, grades),
  zeroResults: ranking.length === 0 ? 1 : 0,
  spamInTen: ranking.slice(0, PAGE).some((id) => spam.has(id)) ? 1 : 0,
});

/** Returns the average of each score over the questions. */
export function meanScores(scores: readonly Scores[]): Scores {
  const mean = (name: keyof Scores): number => sum(scores.map((each) => each[name])) / scores.length;
  return {
    ndcgAt10: mean('ndcgAt10'),
    recallAt5: mean('recallAt5'),
    recallAt10: mean('recallAt10'),
    reciprocalRank: mean('reciprocalRank'),
    zeroResults: mean('zeroResults'),
    spamInTen: mean('spamInTen'),
  };
}

/** Returns the normalised discounted cumulative gain of the first listings: 1 if no order is better. */
export function ndcg(ranking: Ranking, grades: Grades, at: number): number {
  const ideal = Object.values(grades).toSorted((a, b) => b - a);
  const found = ranking.map((id) => gradeOf(grades, id));
  return discountedGain(found.slice(0, at)) / discountedGain(ideal.slice(0, at));
}

const discountedGain = (grades: readonly number[]): number =>
  sum(grades.map((grade, nth) => (2 ** grade - 1) / Math.log2(nth + 2)));

/** Returns the share of all relevant listings that is among the first. */
export function recall(ranking: Ranking, grades: Grades, at: number): number {
  const relevant = Object.keys(grades).filter((id) => isRelevant(grades, id));
  const found = new Set(ranking.slice(0, at));
  return relevant.filter((id) => found.has(id)).length / relevant.length;
}

/** Returns 1 divided by the place of the first relevant listing, or 0 without one. */
export function reciprocalRank(ranking: Ranking, grades: Grades): number {
  const nth = ranking.findIndex((id) => isRelevant(grades, id));
  return nth < 0 ? 0 : 1 / (nth + 1);
}

const isRelevant = (grades: Grades, id: string): boolean => gradeOf(grades, id) >= RELEVANT_GRADE;
const gradeOf = (grades: Grades, id: string): number => grades[id] ?? 0;
