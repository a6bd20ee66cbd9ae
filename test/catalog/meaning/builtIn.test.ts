import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { loadModel, VECTOR_LENGTH } from '../../../src/catalog/meaning/index.ts';
import { dot, similarity } from './similarity.ts';

const model = await loadModel('built-in');

const vectorOf = (text: string): Int8Array =>
  model.embed(model.tokensOf(text).map((token) => [token, model.priorOf(token)]));
const likeness = (a: string, b: string): number => similarity(vectorOf(a), vectorOf(b));

describe('the built-in model', () => {
  test.each([
    ['weather forecast', 'temperature and rain tomorrow', 'stock market prices'],
    ['translate a document', 'language conversion of text', 'temperature and rain tomorrow'],
    ['bitcoin price', 'crypto currency quotes', 'recipes for cooking'],
    ['ocr of a receipt', 'read text in scanned images', 'football scores'],
    ['llm inference', 'artificial intelligence language model', 'law school degree'],
  ])('finds “%s” closer to “%s” than to “%s”', (question, near, far) => {
    expect(likeness(question, near)).toBeGreaterThan(likeness(question, far));
  });

  test('knows words without case and diacritics, and takes apart names that it does not know', () => {
    const known = model.tokensOf('weather forecast json body');
    expect(known).toHaveLength(4);
    expect(model.tokensOf('WEATHER forecast_json bódy')).toEqual(known);
    expect(model.tokensOf('weatherForecast2JSONBody')).toEqual(known);
    expect(model.tokensOf('weather.forecast/json-body')).toEqual(known);
  });

  test('leaves out what it does not know', () => {
    expect(model.tokensOf('qqzzxv 天気 12345 — !')).toEqual([]);
    expect(model.embed([])).toEqual(new Int8Array(model.dimensions));
    expect(similarity(model.embed([]), vectorOf('weather'))).toBe(0);
  });

  test('gives frequent words less weight than rare ones', () => {
    const [the, weather, geocoding] = model.tokensOf('the weather geocoding').map(model.priorOf);
    expect(the).toBeLessThan(weather!);
    expect(weather).toBeLessThan(geocoding!);
    expect(geocoding).toBeLessThanOrEqual(1);
  });

  test('gives the same bytes everywhere', () => {
    const text = 'Real-time currency exchange rates and historical quotes for 160 currencies';
    const hash = createHash('sha256').update(vectorOf(text)).digest('hex');
    expect(hash).toBe('25edf1797952bfe26a00c2e7593a09b85da02a756e4896ab5aef76be4d198254');
  });

  test('does not depend on the order of the tokens, and each vector has the same length', () => {
    const token = fc.tuple(fc.nat(model.tokenCount - 1), fc.double({ min: 0.01, max: 2_000, noNaN: true }));
    fc.assert(
      fc.property(fc.array(token, { minLength: 1, maxLength: 40 }), (weights) => {
        const vector = model.embed(weights);
        expect(model.embed(weights.toReversed())).toEqual(vector);
        expect(Math.abs(Math.sqrt(dot(vector, vector)) - VECTOR_LENGTH)).toBeLessThan(6);
      }),
    );
  });

  test('gives a word the vector of the table, if it is alone', () => {
    const rounded = vectorOf('weather');
    expect(vectorOf('weather weather')).toEqual(rounded);
    expect(likeness('weather', 'weather')).toBeCloseTo(1);
  });
});
