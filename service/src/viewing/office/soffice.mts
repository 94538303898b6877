import { ViewingError } from '../viewingError.mts';
import { type Converter, MAX_PDF_BYTES, type OfficeFile } from './converter.mts';
import { FIT_COLUMNS } from './fitColumns.mts';
import { isSpreadsheet } from './officeFormats.mts';
import { runIsolated } from './sandbox.mts';

const UNREAD = 40;
const TOO_HEAVY = 41;
const MAX_MEMORY_KB = 3_000_000;

/** What LibreOffice must not do, whatever a document asks for. Links outside lead nowhere in any case. */
const PROFILE = toProfile([
	['Office.Common/Security/Scripting', 'BlockUntrustedRefererLinks', 'true'],
	['Office.Common/Security/Scripting', 'DisableMacrosExecution', 'true'],
	['Office.Common/Security/Scripting', 'MacroSecurityLevel', '3'],
	['Office.Calc/Content/Update', 'Link', '2'],
	['Office.Writer/Content/Update', 'Link', '0'],
]);

function toProfile(settings: Array<[path: string, name: string, value: string]>): string {
	const items = settings.map(
		([path, name, value]) =>
			`<item oor:path="/org.openoffice.${path}"><prop oor:name="${name}" oor:op="fuse"><value>${value}</value></prop></item>`,
	);
	return `<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
${items.join('\n')}
</oor:items>`;
}

/** Its parameters: the program, the ending, the profile, and for a spreadsheet the program for awk. */
const CONVERT = `
ulimit -c 0
ulimit -v ${MAX_MEMORY_KB}
# Where the machine has no memory left, this ends, not the service.
echo 1000 > /proc/self/oom_score_adj
mkdir -p profile/user out
printf %s "$3" > profile/user/registrymodifications.xcu
cat > "document.$2" || exit ${TOO_HEAVY}

convert_to() {
	"$program" -env:UserInstallation=file:///tmp/profile --headless --norestore --nolockcheck \\
		--convert-to "$1" --outdir out "$2" >&2 </dev/null
	status=$?
	# Ended by a signal: almost always no memory is left.
	if [ $status -ge 128 ]; then exit ${TOO_HEAVY}; fi
	if [ ! -s "out/document.$1" ]; then exit ${UNREAD}; fi
}

program=$1
if [ -n "$4" ]; then
	convert_to fods "document.$2"
	awk "$4" out/document.fods out/document.fods > document.fods || exit ${TOO_HEAVY}
	rm out/document.fods
	convert_to pdf document.fods
else
	convert_to pdf "document.$2"
fi
cat out/document.pdf
`;

/** LibreOffice on this machine, each time in a sandbox of its own. @param program its path */
export function createSoffice(program: string): Converter {
	async function convert({ ending, content }: OfficeFile, signal: AbortSignal) {
		const fit = isSpreadsheet(ending) ? FIT_COLUMNS : '';
		const { code, output, error } = await runIsolated({
			program,
			script: CONVERT,
			parameters: [program, ending, PROFILE, fit],
			input: content,
			maxOutput: MAX_PDF_BYTES,
			signal,
		});
		if (code === UNREAD) throw new ViewingError('unread', error);
		if (code === TOO_HEAVY) throw new ViewingError('tooHeavy', error);
		if (code !== 0) throw new Error(`LibreOffice can't be used (${code}): ${error}`);
		return output;
	}

	async function findProblem(): Promise<string | undefined> {
		try {
			const { code, error } = await runIsolated({
				program,
				script: '"$1" --version',
				parameters: [program],
				input: nothing(),
				maxOutput: 1000,
				signal: AbortSignal.timeout(60_000),
			});
			if (code === 0) return undefined;
			return `${program} can't be run without a network, with its files in memory only: ${error}. It needs user namespaces, which many containers forbid: there, use Gotenberg.`;
		} catch (error) {
			const { path, message } = error as NodeJS.ErrnoException;
			if (path === program) return `There is no program ${program}: install LibreOffice.`;
			if (path !== 'bwrap') return message;
			return 'bubblewrap (bwrap) is missing. It cuts LibreOffice off from the network and from all other files: install it.';
		}
	}

	return { convert, findProblem, isOwn: true };
}

async function* nothing() {
	// It reads no input.
}
