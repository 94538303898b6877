// For the code that is never packed (tests, tools, benchmark): it may use what n8n Cloud
// forbids to a node. The package itself is linted by eslint.config.mjs, n8n's own rules unchanged;
// here, its regular expressions are checked: none may take more than linear time, whatever the text.
import js from '@eslint/js';
import regexp from 'eslint-plugin-regexp';
import tseslint from 'typescript-eslint';
import globals from 'globals';

export default tseslint.config(
	{ ignores: ['**/dist/**', '.cache/**'] },
	{
		files: ['nodes/**/*.ts', 'credentials/**/*.ts'],
		languageOptions: { parser: tseslint.parser },
		plugins: { regexp },
		rules: {
			'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
			'regexp/no-super-linear-move': ['error', { report: 'potential', ignorePartial: false }],
		},
	},
	{
		files: ['**/*.cts', '**/*.mts'],
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
