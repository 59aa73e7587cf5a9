;; Guix package: guix build -f cmake/guix/factosim.scm, from the project's folder, with the channel guix-hpc for SimGrid.
;; Checked against the build of this project (options and dependencies) and read as Scheme, not built with Guix.
(use-modules (gnu packages)
             (guix build-system cmake)
             (guix gexp)
             ((guix licenses) #:prefix license:)
             (guix packages))

(package
  (name "factosim")
  (version "0.3.0")
  (source (local-file "../.." "factosim-checkout"
                      #:recursive? #t))
  (build-system cmake-build-system)
  (arguments
   (list #:tests? #f
         #:configure-flags #~(list "-DFACTOSIM_TESTS=OFF")))
  (native-inputs (map specification->package '("pkg-config")))
  (inputs (map specification->package
               '("boost" "cli11" "clp" "eigen" "fmt" "graphviz" "gsl" "ipopt" "lapack" "nlohmann-json" "openblas"
                 "pugixml" "simgrid" "xxhash" "zlib")))
  (propagated-inputs (map specification->package '("python" "python-matplotlib")))  ; figures
  (home-page #f)
  (synopsis "Simulator of task-based dense factorizations")
  (description
   "factosim simulates dense factorizations that run as graphs of tile tasks on clusters of nodes that differ, with
cores and GPUs, under the scheduling policies of StarPU.")
  (license license:expat))
