// For the code that is never packed (tests, sandbox, tools, benchmark): it may use what n8n Cloud
// forbids to a node. The package itself is linted by eslint.config.mjs, n8n's own rules unchanged.
import js from '@eslint/js';
import tseslint from 'typescript-eslint';
import globals from 'globals';

export default tseslint.config(
	{ ignores: ['dist/**', 'nodes/**', 'credentials/**', '**/*.ts', '.cache/**'] },
	{
		files: ['**/*.cts'],
		extends: [js.configs.recommended, tseslint.configs.recommended],
		rules: { '@typescript-eslint/consistent-type-imports': 'error', eqeqeq: 'error' },
	},
	{
		files: ['**/*.js', '**/*.mjs'],
		extends: [js.configs.recommended],
		languageOptions: { globals: globals.node },
		rules: { eqeqeq: 'error' },
	},
);
