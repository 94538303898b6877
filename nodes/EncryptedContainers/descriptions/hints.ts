import type { NodeHint } from 'n8n-workflow';

import { NO_RECIPIENTS_NOTICE, SEALED_NOTICE } from './drmRules';

/** From this number of items on, n8n is busy for seconds before the first request is sent. */
const MANY_ITEMS = 1000;

/**
 * Conditions read the parameters as entered, because an expression has no value before the run. Without input items,
 * $input fails.
 */
const itemCount = '(() => { try { return $input.all().length } catch { return 0 } })()';

/** The container of a manifest that is entered as JSON; undefined where it isn't. The fields have notices of their own. */
const jsonContainer =
	'(() => { try { return $rawParameter.specifyManifest === "json" ? JSON.parse($rawParameter.manifestJson).container : undefined } catch { return undefined } })()';

/** What the editor shows beside the output. n8n shows a hint only where its condition is a boolean. */
export const hints: NodeHint[] = [
	{
		message: NO_RECIPIENTS_NOTICE,
		type: 'warning',
		location: 'outputPane',
		whenToDisplay: 'beforeExecution',
		displayCondition: `={{ ((container) => Boolean(container) && ![container.recipients, container.drm?.recipients].some((list) => list?.length > 0))(${jsonContainer}) }}`,
	},
	{
		message: SEALED_NOTICE,
		type: 'warning',
		location: 'outputPane',
		whenToDisplay: 'beforeExecution',
		displayCondition: `={{ ((container) => Boolean(container) && container.drm?.dynamic !== true)(${jsonContainer}) || $rawParameter.rules?.dynamic === false }}`,
	},
	{
		message:
			'With this many items, n8n is busy until it has started all of them. Add Request Options > Batching with 10 items per batch and an interval of 10 ms, so that it responds in between.',
		location: 'outputPane',
		whenToDisplay: 'beforeExecution',
		displayCondition: `={{ ${itemCount} > ${MANY_ITEMS} && !($rawParameter.requestOptions?.batching?.batch?.batchInterval > 0) }}`,
	},
	{
		message: 'Where "reused" is true, the container existed, and nothing was uploaded.',
		location: 'outputPane',
		whenToDisplay: 'afterExecution',
		displayCondition: '={{ $rawParameter.options?.ifExists === "reuse" }}',
	},
	{
		message: 'This was a dry run. No contact was changed.',
		location: 'outputPane',
		whenToDisplay: 'afterExecution',
		displayCondition: '={{ $rawParameter.options?.dryRun === true }}',
	},
];
