import { get as getHttp } from 'node:http';
import { get as getHttps } from 'node:https';

// Asks the service on this machine for a path (/healthz), with the settings of its environment; exit code 1: it doesn't
// answer that all is well. For the health check of a container: it starts in a few hundredths of a second.

const TIMEOUT_MS = 5000;
const EVERYWHERE = ['', '::', '0.0.0.0'];

const [, , path = '/healthz'] = process.argv;
const { PORT, HOST = '', TLS } = process.env;
const address = HOST.split(',')[0].trim();
const options = {
	host: EVERYWHERE.includes(address) ? 'localhost' : address,
	port: PORT || '8443',
	path,
	timeout: TIMEOUT_MS,
	// Its name isn't that of the certificate, and nothing is sent that is worth protecting.
	rejectUnauthorized: false,
};
const request = (TLS === 'off' ? getHttp : getHttps)(options, (response) => {
	response.pipe(process.stdout);
	process.exitCode = response.statusCode === 200 ? 0 : 1;
});
const fail = ({ message }: Error) => {
	process.stderr.write(`${message}\n`);
	process.exitCode = 1;
};
request.on('timeout', () => request.destroy(new Error('No answer in time.'))).on('error', fail);
