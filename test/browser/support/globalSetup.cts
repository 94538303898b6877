import { startEditorStage } from '../../../tools/editor/editorStage.cts';
import { consoleProgress } from '../../../tools/progress.cts';
import { stage } from './stage.cts';

/** Once for all tests of the editor: the sandbox, and a real n8n with the packed package, which must have been built. */
export default async function globalSetup(): Promise<void> {
	const { sandbox, server, profile, file, close } = await startEditorStage(consoleProgress());
	stage.closeAtEnd(close);
	stage.write({
		access: { url: server.url, owner: server.owner },
		sandbox: { origin: sandbox.origin, ca: sandbox.ca },
		profile,
		file,
	});
}
