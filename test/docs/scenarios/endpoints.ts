import { expect } from 'vitest';
import { block } from '../blocks.ts';
import { openReader } from '../reader.ts';
import { scenario } from '../scenario.ts';
import { shapeOf } from '../shape.ts';

export const endpoints = scenario({
  rule: 'the README’s transcript shows the shape of what the service answers',
  blocks: {
    start: block('README.md', 'Run it', 'sh'),
    transcript: block('README.md', 'Endpoints', 'console'),
  },
  async play(text) {
    const reader = await openReader();
    await reader.serve(text.start);
    const commands = text.transcript.split(/^\$ /m).slice(1);
    expect(commands).not.toEqual([]);
    for (const part of commands) {
      const [command = '', ...output] = part.split('\n');
      const { stdout } = await reader.run(command);
      expect(shapeOf(JSON.parse(stdout)), command).toEqual(shapeOf(JSON.parse(output.join('\n'))));
    }
  },
});
