import { getFileKind } from '../../containers/fileKinds.mts';
import type { Door } from '../door.mts';
import { readContent, type ContentRequest } from './fileContent.mts';
import { isMarked } from './filePictures.mts';
import { filesPage, type Shown } from './filesPage.mts';
import { listVisible, type VisibleFile } from './visibleFiles.mts';
import type { PageContext } from '../templates.mts';
import { readViewRequest } from './viewUrl.mts';

/** The page with the list of the files, and one of them. */
export async function showFiles(viewing: ContentRequest, page: PageContext, query: object) {
	const { door, visit } = viewing;
	const { row, owner, seal } = visit;
	const { time, opens, downloadable = true } = seal.rules;
	const files = listVisible(visit);
	const request = readViewRequest({ ...query });
	const file = chooseFile(door, files, request.file);
	const shown: Shown | undefined = file && {
		file,
		request: { ...request, file: file.index },
		content: await readContent(viewing, file, request),
	};
	return filesPage(page, {
		owner,
		name: row.name,
		lastDay: time?.end,
		openingsLeft: opens && Math.max(opens - row.opens_used, 0),
		isDownloadable: downloadable,
		isMarked: isMarked(door, visit),
		isOfficeShown: door.isOfficeShown,
		files,
		shown,
	});
}

/** The one that was asked for, or the first that can be seen. */
function chooseFile(door: Door, files: VisibleFile[], index?: number): VisibleFile | undefined {
	const asked = files.find((file) => file.index === index);
	return asked ?? files.find((file) => getFileKind(file, door).shown !== undefined) ?? files[0];
}
