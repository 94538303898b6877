import type { NodeHint } from 'n8n-workflow';

import { SEALED_NOTICE } from './drmRules';

/**
 * The container of a manifest that is entered as JSON; undefined where it isn't. The fields have notices of their own.
 * Conditions read the parameters as entered, because an expression has no value before the run.
 */
const jsonContainer =
	'(() => { try { return $rawParameter.specifyManifest === "json" ? JSON.parse($rawParameter.manifestJson).container : undefined } catch { return undefined } })()';

/** What the editor shows before a run. n8n shows a hint only where its condition is a boolean. */
export const hints: NodeHint[] = [
	{
		message: SEALED_NOTICE,
		type: 'warning',
		location: 'outputPane',
		whenToDisplay: 'beforeExecution',
		displayCondition: `={{ ((container) => Boolean(container) && container.drm?.dynamic !== true)(${jsonContainer}) || $rawParameter.rules?.dynamic === false }}`,
	},
];
