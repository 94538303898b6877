// Runs in each page of the film: a headless browser draws no pointer.
addEventListener('DOMContentLoaded', () => {
	const pointer = document.createElement('div');
	pointer.innerHTML =
		'<svg width="22" height="28" viewBox="0 0 11 14"><path d="M0 0v11l3-2.6 1.9 4.3 1.9-.8-1.9-4.2H9z" fill="#000" stroke="#fff"/></svg>';
	Object.assign(pointer.style, {
		position: 'fixed',
		zIndex: '2147483647',
		pointerEvents: 'none',
		transition: 'left .25s, top .25s',
		display: 'none',
	});
	document.body.append(pointer);
	addEventListener(
		'mousemove',
		({ clientX, clientY }) => {
			Object.assign(pointer.style, {
				display: 'block',
				left: `${clientX}px`,
				top: `${clientY}px`,
			});
		},
		true,
	);
});
