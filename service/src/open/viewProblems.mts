import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify';
import { ViewingError, type ViewingProblem } from '../viewing/viewingError.mts';
import { failure, type PageError, PictureError } from './pageErrors.mts';

/** Why a file isn't shown. Each has a sentence of its own. */
export type ViewProblem = ViewingProblem | 'empty' | 'kind' | 'media' | 'damaged';

export interface NotShown {
	as: 'notShown';
	why: ViewProblem;
}

/** What is not the fault of the file is told to whoever runs the service. */
export function describeProblem(error: Error, log: FastifyBaseLogger): ViewProblem {
	if (error instanceof ViewingError && error.problem !== 'unavailable') return error.problem;
	log.error(error.cause ?? error, "A file can't be shown");
	return error instanceof ViewingError ? error.problem : 'damaged';
}

/** For the picture of a page. In its place, browsers show a picture that says so. */
export function toPageError(error: Error, { log, request }: FastifyReply): PageError {
	const problem = describeProblem(error, log);
	if (problem === 'noPage') return failure(404, 'failure.noFileTitle', 'failure.noFile');
	const isLater = problem === 'busy' || problem === 'unavailable';
	const statusCode = isLater ? 503 : 422;
	if (asksForPicture(request)) return new PictureError(statusCode);
	return failure(statusCode, 'notShown.title', `notShown.${problem}`);
}

/** Old browsers say it only by what they accept. */
const asksForPicture = ({ headers }: FastifyRequest) =>
	headers['sec-fetch-dest'] === 'image' || /^image\//.test(headers.accept ?? '');
