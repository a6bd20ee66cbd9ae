import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';

// Rules that find mistakes. How code looks is Prettier's business, and what is unused the compiler's.
export default defineConfig(
  { ignores: ['build', 'dist', 'coverage', 'src/contract/*.generated.ts', 'sdk/*/'] },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-duplicate-imports': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      // A request listener may return a promise: whoever wrote the listener handles its faults.
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: { returns: false } }],
      // Parts are plain functions in objects, which lose nothing when taken apart.
      '@typescript-eslint/unbound-method': 'off',
      // A function may promise to be asynchronous before it has something to wait for.
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/no-unused-vars': 'off',
    },
  },
  {
    // The service writes through its log only, so that secrets and payloads cannot slip into a stray print.
    files: ['src/**/*.ts'],
    rules: { 'no-console': 'error' },
  },
  {
    // Tests look into answers of unknown shape; a wrong guess fails the test.
    files: ['test/**/*.ts', 'bench/**/*.ts'],
    rules: {
      '@typescript-eslint/no-explicit-any': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
    },
  },
);
