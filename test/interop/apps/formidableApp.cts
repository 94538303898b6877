import formidable from 'formidable';
import { serve } from './nodeApp.cts';

serve(async (request) => {
	const options = { allowEmptyFiles: true, minFileSize: 0, maxFileSize: 1e9 };
	const [, files] = await formidable(options).parse(request);
	return Object.entries(files).flatMap(([part, parsed = []]) =>
		parsed.map((file) => ({
			part,
			name: file.originalFilename,
			type: file.mimetype,
			content: file.filepath,
		})),
	);
});
