import type { Answer } from './answer.cts';
import { jsonAnswer, textAnswer } from './answer.cts';
import type { ChangeAnswer } from '../settings.cts';

/**
 * @param shape what the settings want the change to answer
 * @param record makes the record, where that is wanted
 */
export function changeAnswer(
	shape: ChangeAnswer,
	status: number,
	message: string,
	record: () => unknown,
): Answer {
	switch (shape) {
		case 'empty':
			return { status };
		case 'noContent':
			return { status: 204 };
		case 'message':
			return jsonAnswer(status, { message });
		case 'text':
			return textAnswer(status, message);
		default:
			return jsonAnswer(status, record());
	}
}
