import type { NodeHint } from 'n8n-workflow';

import { NO_RECIPIENTS_NOTICE, SEALED_NOTICE } from './drmRules';

/** From this number of items on, n8n is busy for seconds before the first request is sent. */
const MANY_ITEMS = 1000;

/** Without input items, $input fails. */
const itemCount = '(() => { try { return $input.all().length } catch { return 0 } })()';

/** Conditions read the parameters as entered: what an expression returns is not known before the node runs. */
const encodeWithFields =
	'$rawParameter.operation === "encode" && $rawParameter.specifyManifest === "fields"';

/** What the editor shows beside the output. n8n shows a hint only where its condition is a boolean. */
export const hints: NodeHint[] = [
	{
		message: NO_RECIPIENTS_NOTICE,
		type: 'warning',
		location: 'outputPane',
		whenToDisplay: 'beforeExecution',
		displayCondition: `={{ ${encodeWithFields} && !String($rawParameter.recipients ?? "").trim() }}`,
	},
	{
		message: SEALED_NOTICE,
		type: 'warning',
		location: 'outputPane',
		whenToDisplay: 'beforeExecution',
		displayCondition: `={{ ${encodeWithFields} && $rawParameter.dynamic === false }}`,
	},
	{
		message:
			'With this many items, n8n is busy until it has started all of them. With Request Options > Batching, it can respond between two batches.',
		location: 'outputPane',
		whenToDisplay: 'beforeExecution',
		displayCondition: `={{ ${itemCount} > ${MANY_ITEMS} && !($rawParameter.requestOptions?.batching?.batch?.batchInterval > 0) }}`,
	},
	{
		message: 'Where "reused" is true, the container existed, and nothing was uploaded.',
		location: 'outputPane',
		whenToDisplay: 'afterExecution',
		displayCondition: `={{ $rawParameter.operation === "encode" && $rawParameter.options?.ifExists === "reuse" }}`,
	},
];
