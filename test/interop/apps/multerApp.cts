import type { IncomingMessage } from 'node:http';
import multer from 'multer';
import { serve } from './nodeApp.cts';

const parse = multer({ storage: multer.memoryStorage() }).any();

interface ParsedRequest extends IncomingMessage {
	files: Array<{ fieldname: string; originalname: string; mimetype: string; buffer: Buffer }>;
}

serve(async (request, response) => {
	await new Promise<void>((resolve, reject) => {
		const next = (error?: unknown) => (error === undefined ? resolve() : reject(error as Error));
		parse(request as never, response as never, next);
	});
	return (request as ParsedRequest).files.map((file) => ({
		part: file.fieldname,
		name: file.originalname,
		type: file.mimetype,
		content: file.buffer,
	}));
});
