import { loadBuiltIn } from './builtIn.ts';
import { MODEL_LIMITS } from './limits.ts';
import { createModel, type Model } from './model.ts';
import { fingerprint, withFile } from './modelFile.ts';
import { readModelTable } from './modelTable.ts';
import { readTokens } from './modelTokens.ts';

/** Names the model to load: the folder of a Model2Vec model, or the one that comes with the service. */
export type ModelChoice = 'built-in' | { readonly folder: string };

/** Rejects with UnusableModel, whose message names the file and what is wrong with it. */
export async function loadModel(choice: ModelChoice): Promise<Model> {
  return choice === 'built-in' ? loadBuiltIn() : loadFromFolder(choice.folder);
}

/** Loads a Model2Vec model: `model.safetensors` and `tokenizer.json`. */
async function loadFromFolder(folder: string): Promise<Model> {
  const { tensorsBytes, tokenizerBytes, chunkBytes } = MODEL_LIMITS;
  const [table, tableName] = withFile(folder, 'model.safetensors', tensorsBytes, (file) => [
    readModelTable(file),
    fingerprint(file, chunkBytes),
  ]);
  const [tokens, tokensName] = withFile(folder, 'tokenizer.json', tokenizerBytes, (file) => [
    readTokens(file, table.tokenCount),
    fingerprint(file, chunkBytes),
  ]);
  return createModel({
    ...table,
    name: `model2vec-${tableName}-${tokensName}`,
    tokensOf: await tokens,
    // Their rows are long for what matters.
    priorOf: () => 1,
  });
}
