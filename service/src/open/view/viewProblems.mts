import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify';
import { DamagedFileError } from '../../containers/ageFile.mts';
import { MissingFileError } from '../../storage/storage.mts';
import { ViewingError, type ViewingProblem } from '../../viewing/viewingError.mts';
import { failure, PictureError } from '../pageErrors.mts';

/** Why a file isn't shown. Each has a sentence of its own. */
export type ViewProblem = ViewingProblem | 'empty' | 'kind' | 'media' | 'damaged';

export interface NotShown {
	as: 'notShown';
	why: ViewProblem;
}

/** @returns nothing where something else than the file is the reason, such as a storage that is gone */
export function toViewProblem(error: unknown): ViewProblem | undefined {
	if (error instanceof ViewingError) return error.problem;
	const isOfFile = error instanceof DamagedFileError || error instanceof MissingFileError;
	return isOfFile ? 'damaged' : undefined;
}

/** Tells whoever runs the service what only they can mend. */
export function logViewProblem(problem: ViewProblem, error: Error, log: FastifyBaseLogger): void {
	if (problem === 'damaged') log.error(error, 'A file is damaged or missing');
	if (problem === 'unavailable') log.error(error.cause, "Office files can't be converted");
}

/** For the picture of a page. In its place, browsers show a picture that says so. */
export function toPageError(error: Error, { log, request }: FastifyReply): Error {
	const isPicture = asksForPicture(request);
	const problem = toViewProblem(error);
	if (problem === undefined) return isPicture ? new PictureError(500, { cause: error }) : error;
	logViewProblem(problem, error, log);
	if (problem === 'noPage') return failure(404, 'failure.noFileTitle', 'failure.noFile');
	const isLater = problem === 'busy' || problem === 'unavailable';
	const statusCode = isLater ? 503 : 422;
	if (isPicture) return new PictureError(statusCode);
	return failure(statusCode, 'notShown.title', `notShown.${problem}`);
}

/** Old browsers say it only by what they accept. */
const asksForPicture = ({ headers }: FastifyRequest) =>
	headers['sec-fetch-dest'] === 'image' || /^image\//.test(headers.accept ?? '');
